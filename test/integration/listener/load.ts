import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { dlr, requestBytes } from '../../helpers/listener.ts'

/** Starts a process file of this folder that receives deliveries. Returns its port. */
export async function startReceiving(
  file: string,
  args: readonly string[],
): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(import.meta.dirname, file), args)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${String(code)} before it took deliveries`)
  })
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }]
  ended.catch(() => {})
  return { child, port: message.port }
}

/** Deliveries over several connections, one in flight on each. */
export interface Load {
  /** IDs answered with 200, in order. */
  acknowledged: { id: string; atMs: number }[]
  /** Resolves when all connections are closed. */
  broken: Promise<void>
  /** Closes the remaining connections. */
  end(): void
}

/** Sends until every connection closes. Every fifth delivery repeats the previous one on its connection. */
export function sendUntilBroken(port: number, prefix: string, connections: number): Load {
  const acknowledged: Load['acknowledged'] = []
  let next = 0
  const sockets = Array.from({ length: connections }, () => connect({ port, host: '127.0.0.1' }))
  const one = (socket: (typeof sockets)[number]) =>
    new Promise<void>((resolve) => {
      let id = ''
      let sent = 0
      const send = () => {
        if (id === '' || ++sent % 5 !== 0) id = `${prefix}-${next++}`
        socket.write(requestBytes(dlr(id)))
      }
      socket.on('connect', send)
      socket.on('data', (data) => {
        if (data.toString('latin1', 9, 12) === '200') acknowledged.push({ id, atMs: Date.now() })
        send()
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
  return {
    acknowledged,
    broken: Promise.all(sockets.map(one)).then(() => {}),
    end: () => sockets.forEach((socket) => socket.destroy()),
  }
}
