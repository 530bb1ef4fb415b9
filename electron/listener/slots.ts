import type { Socket } from 'node:net'

/**
 * Limits connections. When full, a new one replaces the one without progress for longest, through `evict`. Senders of a
 * valid delivery go last; a complete request waiting for the disk keeps its slot. Addresses don't count: behind a tunnel or a proxy
 * all senders have one.
 */
export function createSlots(limit: number, evict: (socket: Socket) => void) {
  const open = new Set<Socket>()
  /** Connections without a complete request, longest without progress first. */
  const waiting = new Set<Socket>()
  /** Idle connections that sent a valid delivery, longest idle first. */
  const resting = new Set<Socket>()
  const proven = new WeakSet<Socket>()

  /** Puts a connection last among `those`, or among none. */
  function move(socket: Socket, those?: Set<Socket>): void {
    waiting.delete(socket)
    resting.delete(socket)
    if (open.has(socket)) those?.add(socket)
  }

  function leave(socket: Socket): void {
    open.delete(socket)
    move(socket)
  }

  return {
    /** Takes a new connection. False when every slot holds a complete request. */
    enter(socket: Socket): boolean {
      if (open.size >= limit) {
        const [evicted] = waiting.size > 0 ? waiting : resting
        if (evicted === undefined) return false
        leave(evicted)
        evict(evicted)
      }
      open.add(socket)
      socket.once('close', () => leave(socket))
      move(socket, waiting)
      return true
    },
    /** Gives the slot back while the connection stays open. */
    leave,
    /** More of a request has arrived. */
    progress: (socket: Socket): void => move(socket, waiting),
    /** A whole request has arrived; the socket keeps its slot until `answered`. */
    complete: (socket: Socket): void => move(socket),
    /** `isProven`: the answer acknowledged a signed delivery. */
    answered(socket: Socket, isProven: boolean): void {
      if (isProven) proven.add(socket)
      move(socket, proven.has(socket) ? resting : waiting)
    },
  }
}
