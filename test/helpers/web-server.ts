import { randomBytes } from 'node:crypto'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { loadRendererFiles } from '#electron/hosts/renderer-files.ts'
import { startWebServer, type WebServer } from '#electron/hosts/node/http-server.ts'
import { acceptSockets } from '#electron/hosts/node/ws-server.ts'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import { quietLog } from './quiet-log.ts'
import { rawConnection } from './raw-http.ts'
import { stubRenderer } from './start-console.ts'
import { signIn } from './web-session.ts'

/** The real web server of the browser host in this process, over the stub page. */
export interface TestWebServer {
  web: WebServer
  origin: string
  /** `name=value` of a session. */
  cookie: string
  /** Links shown in the operator's terminal. */
  links: string[]
  /** The core's ends of accepted sockets. */
  ports: MessagePort[]
  stop(): Promise<void>
}

/**
 * `connect` replaces the core; by default every frame is echoed. `isOwnSocket` replaces the system's answer on who connected; by default
 * everyone is this user. Sockets open once `ready` resolves.
 */
export async function startTestWebServer(
  options: {
    clock?: Clock
    connect?: () => MessagePort
    isOwnSocket?: () => Promise<boolean>
    ready?: Promise<unknown>
    /** Folder of the page. */
    rendererDir?: string
  } = {},
): Promise<TestWebServer> {
  const { clock = systemClock } = options
  const links: string[] = []
  const ports: MessagePort[] = []
  const web = await startWebServer({
    files: loadRendererFiles(options.rendererDir ?? stubRenderer),
    port: 0,
    printLink: (link) => links.push(link),
    log: quietLog,
    clock,
    isOwnSocket: options.isOwnSocket ?? (() => Promise.resolve(true)),
  })
  const echo = () => {
    const { port1: host, port2: core } = new MessageChannel()
    core.on('message', (frame: string) => core.postMessage(frame))
    ports.push(core)
    return host
  }
  const stopSockets = acceptSockets(web, options.connect ?? echo, quietLog, clock, options.ready)
  const cookie = await signIn(web.access.link())
  return {
    web,
    origin: `http://127.0.0.1:${web.port}`,
    cookie,
    links,
    ports,
    async stop() {
      await stopSockets()
      await web.close()
    },
  }
}

/** Sends bytes unchanged and reads until the server closes, or the head of an upgrade. Status 0: it closed without an answer. */
export async function sendRaw(port: number, text: string): Promise<{ status: number; text: string }> {
  const connection = rawConnection(port)
  connection.write(Buffer.from(text, 'latin1'))
  const [answer] = await connection.answers()
  if (answer?.status !== 101) await connection.closed
  connection.destroy()
  return { status: answer?.status ?? 0, text: connection.received().toString('latin1') }
}

/** A request as text. `headers` are sent unchanged, duplicates included; the answer ends the connection. */
export function rawRequest(method: string, path: string, headers: [string, string][], body = ''): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  if (body !== '') lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  const closes = headers.some(([name]) => name.toLowerCase() === 'connection') ? [] : ['Connection: close']
  return [`${method} ${path} HTTP/1.1`, ...lines, ...closes, '', body].join('\r\n')
}

/** The headers of a WebSocket handshake (RFC 6455 §4.1). */
export const upgradeHeaders = (): [string, string][] => [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', randomBytes(16).toString('base64')],
]
