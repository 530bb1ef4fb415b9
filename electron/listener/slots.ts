import type { Socket } from 'node:net'
import { isIPv6 } from 'node:net'

/** A peer with unfinished requests in more than a quarter of the slots loses its own first. */
const peerShareDivisor = 4

/**
 * Limits connections. When full, a new one replaces the one without progress for longest, through `evict`.
 * Senders of a valid delivery go last; a complete request waiting for the disk keeps its slot.
 */
export function createSlots(limit: number, evict: (socket: Socket) => void) {
  /** All connections with their peer. */
  const open = new Map<Socket, string>()
  /** Connections without a complete request, longest without progress first; also by peer. */
  const waiting = new Set<Socket>()
  const waitingOf = new Map<string, Set<Socket>>()
  /** Idle connections that sent a valid delivery, longest idle first. */
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
    const [longestAtRest] = resting
    return oldest ?? longestAtRest
  }

  function leave(socket: Socket): void {
    const peer = open.get(socket)
    if (peer === undefined) return
    settle(socket, peer)
    open.delete(socket)
  }

  return {
    /** Takes a new connection. False when every slot holds a complete request. */
    enter(socket: Socket): boolean {
      if (open.size >= limit) {
        const evicted = victim()
        if (evicted === undefined) return false
        leave(evicted)
        evict(evicted)
      }
      open.set(socket, peerOf(socket.remoteAddress ?? ''))
      socket.once('close', () => leave(socket))
      wait(socket)
      return true
    },
    /** Gives the slot back while the connection stays open. */
    leave,
    /** More of a request has arrived. */
    progress: wait,
    /** A whole request has arrived; the socket keeps its slot until `answered`. */
    complete(socket: Socket): void {
      const peer = open.get(socket)
      if (peer !== undefined) settle(socket, peer)
    },
    /** `isProven`: the answer acknowledged a signed delivery. */
    answered(socket: Socket, isProven: boolean): void {
      if (isProven) proven.add(socket)
      if (!proven.has(socket)) return wait(socket)
      const peer = open.get(socket)
      if (peer === undefined) return
      settle(socket, peer)
      resting.add(socket)
    },
  }
}

/** An IPv6 sender usually has a whole /64. */
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
