import { expect } from 'vitest'

/** Checks what a console says of each person against what the service did: `reached`, how often, and `requests`, oldest first. */
export function expectTruth(
  { done, unknown }: { done: ReadonlySet<string>; unknown: ReadonlySet<string> },
  reached: ReadonlyMap<string, number>,
  requests: readonly { phone: string; isUnclear: boolean }[],
): void {
  expect(Math.max(...reached.values()), 'nobody twice').toBe(1)
  const unreached = [...done].filter((phone) => !reached.has(phone))
  expect(unreached, 'what is done was done').toEqual([])
  const untold = [...reached.keys()].filter((phone) => !done.has(phone) && !unknown.has(phone))
  expect(untold, 'what was done is known or in doubt').toEqual([])
  const doubtful = new Set<string>()
  const repeated = requests.filter(({ phone, isUnclear }) => {
    const isRepeat = doubtful.has(phone)
    if (isUnclear) doubtful.add(phone)
    return isRepeat
  })
  expect(repeated, 'no doubt was sent again').toEqual([])
  const unlisted = [...doubtful].filter((phone) => !unknown.has(phone))
  expect(unlisted, 'every doubt is listed').toEqual([])
}
