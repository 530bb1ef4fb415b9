import type { WebSocket } from 'ws'
import type { Clock } from '../lib/clock.ts'
import type { CorePort } from './core-port.ts'

/**
 * Limits of one socket. A click is a frame or two, an upload a series of large ones. 500 frames per 100 ms is
 * far above both, and leaves the core time for others.
 */
const limits = {
  /** Most bytes queued for a browser that doesn't read; then the socket closes, reconnects and catches up. */
  queueBytes: 32 * 1_048_576,
  /** Most frames and bytes read per `periodMs`; reading pauses until the next period. */
  framesPerPeriod: 500,
  bytesPerPeriod: 8 * 1_048_576,
  periodMs: 100,
}

/** WebSocket close codes (RFC 6455 §7.4.1 and its IANA registry). */
const closeCode = { serviceRestart: 1012, tryAgainLater: 1013 } as const

/**
 * Carries frames between a browser's WebSocket and the core, undecoded: oRPC's adapters share the format. Closing one end
 * closes the other, which ends that browser's calls and streams. Disconnects a browser that reads too slowly or sends more
 * than the core takes.
 */
export function pipeSocket(socket: WebSocket, { port, send }: CorePort, clock: Clock): void {
  let frames = 0
  let bytes = 0
  let startedMs = -Infinity
  // No timer runs while the page sends little: each open page would wake the process ten times a second.
  let cancelPause = () => {}

  // With binaryType `nodebuffer` a frame is one Buffer.
  socket.on('message', (data: Buffer, isBinary) => {
    // Frames may still arrive between our close frame and the browser's.
    if (socket.readyState !== socket.OPEN) return
    const nowMs = clock.monotonic()
    if (nowMs - startedMs >= limits.periodMs) {
      startedMs = nowMs
      frames = 0
      bytes = 0
    }
    frames++
    bytes += data.length
    // Only a whole buffer can be transferred, and this one may share its memory.
    const copy = isBinary ? new Uint8Array(data) : null
    const isSent = copy ? send(copy, data.length, [copy.buffer]) : send(data.toString(), data.length)
    if (!isSent) return socket.close(closeCode.tryAgainLater, 'The console is not responding')
    const isOver = frames >= limits.framesPerPeriod || bytes >= limits.bytesPerPeriod
    if (!isOver || socket.isPaused) return
    socket.pause()
    cancelPause = clock.after(startedMs + limits.periodMs - nowMs, () => {
      startedMs = -Infinity
      socket.resume()
    })
  })
  port.on('message', (frame: string | Uint8Array) => {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > limits.queueBytes) {
      socket.close(closeCode.tryAgainLater, 'This page reads too slowly')
      // The close frame waits behind the unread queue.
      socket.terminate()
      return
    }
    socket.send(frame)
  })
  socket.on('close', () => {
    cancelPause()
    port.close()
  })
  port.on('close', () => socket.close(closeCode.serviceRestart, 'The console restarts'))
}
