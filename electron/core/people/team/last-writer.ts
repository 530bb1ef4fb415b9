/** A change that consoles of a team order alike. `clockMs`: hybrid logical clock, after all that its author had seen. */
export interface Change {
  id: string
  clockMs: number
}

/** Also if clocks are minutes apart: a change comes after all that its author had seen. */
export const isLater = (a: Change, b: Change): boolean =>
  a.clockMs === b.clockMs ? a.id > b.id : a.clockMs > b.clockMs

/** The time of a change that comes after all others. */
export const nextClockMs = (seen: readonly Change[], nowMs: number): number =>
  Math.max(nowMs, ...seen.map(({ clockMs }) => clockMs + 1))

/** Earlier versions of a value are kept up to this many in all. */
export const versionsKept = 10

/** Both together, the last version first: it is the value. The order and repetition of merges don't matter. */
export const mergeVersions = <V extends Change>(a: readonly V[], b: readonly V[]): V[] =>
  [...new Map([...a, ...b].map((one) => [one.id, one])).values()]
    .sort((one, other) => (isLater(one, other) ? -1 : 1))
    .slice(0, versionsKept)
