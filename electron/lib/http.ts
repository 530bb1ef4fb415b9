/**
 * `node:http` without what an `import` of it also loads: Node's own fetch and WebSocket, for 45 ms of processor time and 5 MiB in each
 * thread (Node 24). Types come from `node:http`.
 */
export const http = process.getBuiltinModule('node:http')
