/**
 * `node:http` without Node's own fetch and WebSocket, which an `import` of it also loads: 50 ms of processor time and
 * up to 13 MiB in each thread (Node 24). Types come from `node:http`.
 */
export const http = process.getBuiltinModule('node:http')
/** Like `http`. */
export const https = process.getBuiltinModule('node:https')
