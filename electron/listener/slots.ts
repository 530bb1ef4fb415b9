import type { Socket } from 'node:net'
import { isIPv6 } from 'node:net'

/** A peer with unfinished requests in more than a quarter of the slots loses its own first. */
const peerShareDivisor = 4

/**
 * The listener's places for connections. When all are taken, a new connection replaces the one without progress for longest.
 * Those that sent a valid delivery go last; a complete request that waits for the disk keeps its place.
 */
export interface Slots {
  /** Takes a new connection. False when every place holds a complete request. */
  enter(socket: Socket): boolean
  /** More of a request has arrived. */
  progress(socket: Socket): void
  /** A whole request has arrived; the socket keeps its place until `answered`. */
  complete(socket: Socket): void
  /** The answer was sent. `isProven` when it acknowledged a signed delivery. */
  answered(socket: Socket, isProven: boolean): void
}

/** `evict` ends a connection. */
export function createSlots(limit: number, evict: (socket: Socket) => void): Slots {
  /** All connections, with their peer. */
  const open = new Map<Socket, string>()
  /** Connections without a complete request, the longest without progress first; also by peer. */
  const waiting = new Set<Socket>()
  const waitingOf = new Map<string, Set<Socket>>()
  /** Idle connections that sent a valid delivery, the longest idle first. */
  const resting = new Set<Socket>()
  const proven = new WeakSet<Socket>()
  const peerShare = Math.max(1, Math.floor(limit / peerShareDivisor))

  function wait(socket: Socket): void {
    const peer = open.get(socket)
    if (peer === undefined) return
    settle(socket, peer)
    waiting.add(socket)
    const own = waitingOf.get(peer) ?? new Set()
    waitingOf.set(peer, own.add(socket))
  }

  function settle(socket: Socket, peer: string): void {
    resting.delete(socket)
    if (!waiting.delete(socket)) return
    const own = waitingOf.get(peer)!
    own.delete(socket)
    if (own.size === 0) waitingOf.delete(peer)
  }

  function victim(): Socket | undefined {
    let greediest = waiting
    let most = peerShare
    // Behind a tunnel all senders are one peer, so its oldest is the oldest overall.
    for (const own of waitingOf.values()) if (own.size > most) [greediest, most] = [own, own.size]
    const [oldest] = greediest
    if (oldest) return oldest
    const [longestAtRest] = resting
    return longestAtRest
  }

  function leave(socket: Socket): void {
    const peer = open.get(socket)
    if (peer === undefined) return
    settle(socket, peer)
    open.delete(socket)
  }

  return {
    enter(socket) {
      if (open.size >= limit) {
        const gone = victim()
        if (gone === undefined) return false
        leave(gone)
        evict(gone)
      }
      open.set(socket, peerOf(socket.remoteAddress ?? ''))
      socket.once('close', () => leave(socket))
      wait(socket)
      return true
    },
    progress: wait,
    complete(socket) {
      const peer = open.get(socket)
      if (peer !== undefined) settle(socket, peer)
    },
    answered(socket, isProven) {
      if (isProven) proven.add(socket)
      if (!proven.has(socket)) return wait(socket)
      const peer = open.get(socket)
      if (peer === undefined) return
      settle(socket, peer)
      resting.add(socket)
    },
  }
}

/** An IPv6 sender usually has a whole /64, so the first half of its address is the peer. */
function peerOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const all =
    tail === undefined
      ? groups
      : [...groups, ...Array<string>(8 - groups.length - last.length).fill('0'), ...last]
  return all.slice(0, 4).join(':')
}
