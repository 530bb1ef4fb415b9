import type { Writable } from 'node:stream'
import type { Clock } from '../lib/clock.ts'

/** Writes `body` in pieces, `gapMs` apart, then ends the stream. */
export function drip(clock: Clock, to: Writable, body: Buffer, pieces: number, gapMs: number): void {
  const size = Math.ceil(body.length / pieces)
  const write = (piece: number) => {
    if (to.destroyed) return
    to.write(body.subarray(piece * size, (piece + 1) * size))
    if (piece + 1 === pieces) to.end()
    else clock.after(gapMs, () => write(piece + 1))
  }
  write(0)
}
