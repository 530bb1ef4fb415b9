import { arrivalGrainsMs } from '../live/events/arrival-count.ts'

/** A stretch of time that is whole in steps of `grainMs`, [fromMs, toMs). */
export interface Tile {
  grainMs: number
  fromMs: number
  toMs: number
}

/**
 * A span of whole seconds as the fewest stretches of whole hours, minutes and seconds, in order. `widestMs` bounds the steps, for
 * buckets that a wider one would not fit into.
 */
export function tilesOf(fromMs: number, toMs: number, widestMs = Infinity): Tile[] {
  const grains = arrivalGrainsMs.filter(
    (grainMs) => grainMs <= widestMs && (widestMs === Infinity || widestMs % grainMs === 0),
  )
  const tiles: Tile[] = []
  function add(level: number, lowMs: number, highMs: number): void {
    const grainMs = grains[level]
    if (grainMs === undefined || lowMs >= highMs) return
    const upMs = Math.ceil(lowMs / grainMs) * grainMs
    const downMs = Math.floor(highMs / grainMs) * grainMs
    if (upMs >= downMs) return add(level - 1, lowMs, highMs)
    add(level - 1, lowMs, upMs)
    tiles.push({ grainMs, fromMs: upMs, toMs: downMs })
    add(level - 1, downMs, highMs)
  }
  add(grains.length - 1, fromMs, toMs)
  return tiles
}
