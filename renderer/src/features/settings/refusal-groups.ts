import type { Refusal } from '#contract/listener.ts'

/** Refusals of one kind that came one after another: same reason and answer, same request, same sender. */
export interface RefusalGroup {
  /** The newest of them. */
  last: Refusal
  /** When the oldest of them came, ISO. */
  firstAt: string
  count: number
}

const kindOf = ({ reason, status, method, path, remote }: Refusal) =>
  JSON.stringify([reason, status, method, path, remote])

/** Joins neighbours of one kind. `refusals` are newest first, and so are the groups. */
export function groupRefusals(refusals: readonly Refusal[]): RefusalGroup[] {
  const groups: RefusalGroup[] = []
  for (const refusal of refusals) {
    const group = groups.at(-1)
    if (group && kindOf(group.last) === kindOf(refusal)) {
      group.count++
      group.firstAt = refusal.at
    } else groups.push({ last: refusal, firstAt: refusal.at, count: 1 })
  }
  return groups
}
