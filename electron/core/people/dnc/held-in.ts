/** A hold of the team, or its release. */
export interface TeamMark {
  kind: 'hold' | 'release'
  holdId: string
}

/**
 * The holds in force: those that no release names. Of the set of marks alone: neither order nor repetition matters. A hold that a
 * release doesn't name, because its author hadn't seen it, stays in force.
 */
export function heldIn(marks: Iterable<TeamMark>): Set<string> {
  const held = new Set<string>()
  const released = new Set<string>()
  for (const { kind, holdId } of marks) (kind === 'hold' ? held : released).add(holdId)
  for (const holdId of released) held.delete(holdId)
  return held
}
