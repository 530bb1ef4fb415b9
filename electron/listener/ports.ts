import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { AppError } from '../contract/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { bind } from './bind.ts'
import { createWebhookServer, type Receiver } from './http-server.ts'
import type { ListenerLimits, ListenerPlace } from './protocol.ts'
import { targetPath } from './target-path.ts'

/** After a sleep, the listener's own port must accept within this time. */
const ownPortTimeoutMs = 2_000
/** Time for open requests to finish when a port closes. */
const stopGraceMs = 1_000

/** A receiver's place at a port. */
export type Seat = Awaited<ReturnType<ReturnType<typeof createPorts>['join']>>

type Drained = Receiver & {
  /** Settles what waits for the disk. */
  drain(): void
}

/** The HTTP servers of this thread. Receivers at the same address and port share one, each with its own path. */
export function createPorts(clock: Clock) {
  const ports = new Set<Port>()
  type Port = ReturnType<typeof createPort>

  function createPort(wanted: { host: string; port: number }, limits: ListenerLimits, log: Log) {
    const receivers = new Set<Drained>()
    /** Of saved connections, also of those that are closed now. */
    const knownPaths = new Set<string>()
    const sockets = new Set<Socket>()
    let closing: Promise<void> | null = null
    let checking: Promise<boolean> | null = null
    const at = (target: string) => {
      for (const receiver of receivers) if (receiver.rules().path === target) return receiver
      const path = targetPath(target)
      for (const receiver of receivers) if (targetPath(receiver.rules().path) === path) return receiver
      return undefined
    }
    const server = createWebhookServer({
      receiverAt: at,
      limits,
      clock,
      log,
      // Any of them may have been meant, unless a closed connection has this path.
      onRefused(refusal) {
        if (knownPaths.has(targetPath(refusal.sample.path))) return
        for (const receiver of receivers) receiver.onRefused(refusal)
      },
    })
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    const bound = bind(server, wanted.host, wanted.port).then((place) => {
      server.on('error', (error) => log.error('The listening socket failed', { error }))
      port.boundPort = place.port
      return place
    })

    /** Stops accepting, lets open requests finish, commits, closes the rest. */
    async function shutDown(): Promise<void> {
      if (server.listening) {
        const ended = once(server, 'close')
        server.close()
        const cancel = clock.after(stopGraceMs, () => {
          for (const receiver of receivers) receiver.drain()
          server.closeAllConnections()
        })
        await ended
        cancel()
      }
      // Their own close events come later.
      sockets.clear()
      ports.delete(port)
    }

    const port = {
      wanted,
      bound,
      boundPort: 0,
      receivers,
      knownPaths,
      sockets,
      at,
      close: () => (closing ??= shutDown()),
      isClosing: () => closing !== null,
      /** Whether it accepts connections. If not, it closes, so that it can be opened again. */
      answers: () =>
        (checking ??= (async () => {
          const accepts = closing === null && (await acceptsConnections(await bound))
          if (!accepts) await port.close()
          return accepts
        })().finally(() => (checking = null))),
    }
    ports.add(port)
    return port
  }

  function checkPath(port: Port, receiver: Drained, path: string): void {
    const other = port.at(path)
    if (other && other !== receiver)
      throw new AppError('LISTENER_FAILED', { detail: { key: 'listener.pathUsed', path } })
  }

  return {
    /** Puts a receiver at a place; its path must be set before. Throws the errors of `bind`. */
    async join(
      receiver: Drained,
      { host, port: number, otherPaths = [] }: ListenerPlace,
      { limits, log }: { limits: ListenerLimits; log: Log },
    ) {
      const isHere = ({ wanted, boundPort }: Port) =>
        wanted.host === host && (wanted.port === number || (number !== 0 && boundPort === number))
      // Another address with the same port blocks this one.
      const blocking = [...ports].filter((one) =>
        isHere(one) ? one.isClosing() : number !== 0 && one.boundPort === number,
      )
      await Promise.all(blocking.map((one) => one.close()))
      const joined =
        [...ports].find((one) => isHere(one) && !one.isClosing()) ??
        createPort({ host, port: number }, limits, log)
      try {
        const { address, port: boundPort } = await joined.bound
        checkPath(joined, receiver, receiver.rules().path)
        joined.receivers.add(receiver)
        for (const path of [receiver.rules().path, ...otherPaths]) joined.knownPaths.add(targetPath(path))
        return {
          address,
          port: boundPort,
          /** Whether the port still accepts connections, as after a sleep. If not, leave and join again. */
          answers: joined.answers,
          /** Call before its path changes. Throws when another receiver has the new one. */
          movePath({ path, otherPaths = [] }: ListenerPlace): void {
            checkPath(joined, receiver, path)
            joined.knownPaths.delete(targetPath(receiver.rules().path))
            for (const known of [path, ...otherPaths]) joined.knownPaths.add(targetPath(known))
          },
          /** The last one closes the port, after open requests ended. */
          async leave(): Promise<void> {
            if (joined.receivers.size === 1 || joined.isClosing()) await joined.close()
            joined.receivers.delete(receiver)
          },
        }
      } catch (error) {
        if (joined.boundPort === 0) ports.delete(joined)
        throw error
      }
    },
  }
}

function acceptsConnections({ address, port }: { address: string; port: number }): Promise<boolean> {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ownPortTimeoutMs })
    const settle = (isAnswered: boolean) => {
      socket.destroy()
      resolve(isAnswered)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('timeout', () => settle(false))
  })
}
