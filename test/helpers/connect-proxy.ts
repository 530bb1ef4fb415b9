import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A loopback HTTP proxy that tunnels every CONNECT to one fixed port. */
export interface ConnectProxy {
  /** Host with port. */
  host: string
  /** Requested targets in order, each with its credentials. */
  asked: { target: string; authorization: string | undefined }[]
  /** Status of later CONNECT answers; 200 tunnels, 0 stays silent. */
  answer(status: number): void
  stop(): Promise<void>
}

export async function startConnectProxy(targetPort: number): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'] = []
  const sockets = new Set<Socket>()
  let status = 200
  const server = createServer((_request, response) => response.writeHead(500).end())
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] })
    if (status === 0) return
    if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
    const upstream = connect(targetPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    sockets.add(upstream)
    upstream.on('error', () => client.destroy()).on('close', () => sockets.delete(upstream))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: (next) => void (status = next),
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
