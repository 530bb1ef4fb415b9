/** A reading of a campaign: asked for at `askedMs`, answered at `atMs`, milliseconds since 1970. */
export interface Reading {
  status: string | null
  askedMs: number
  atMs: number
}

/**
 * Whether a reading that came later than the `known` one must not take its place. One that was asked for before is older. Of two that
 * were under way together nobody knows which the service answered first: then the later one counts, but for one that would make a
 * campaign run again that was seen at its end or paused. What is known of a time to come is from before the clock was set back.
 */
export function isOvertaken(next: Reading, known: Reading): boolean {
  if (known.atMs > next.atMs) return false
  if (next.askedMs < known.askedMs) return true
  return next.askedMs < known.atMs && next.status === 'running' && known.status !== 'running'
}
