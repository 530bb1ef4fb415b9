import { expect, it } from 'vitest'
import { mergeVersions, nextClockMs, versionsKept } from '#electron/core/people/team/shared-values.ts'
import { seededRandom } from '#electron/lib/random.ts'

interface Version {
  id: string
  clockMs: number
}

it.each(Array.from({ length: 20 }, (_one, seed) => seed))(
  'merges versions in any order, split and repetition to the same, and the last writer wins (seed %i)',
  (seed) => {
    const random = seededRandom(seed)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
    // Clocks are 10 minutes apart.
    const people = ['Ana', 'Ben', 'Cleo'].map((name, at) => ({
      name,
      aheadMs: (at - 1) * 600_000,
      versions: [] as Version[],
    }))
    const changes: Version[] = []
    for (let at = 0; at < 40; at++) {
      const one = pick(people)
      if (random() < 0.3) {
        one.versions = mergeVersions(one.versions, pick(people).versions)
        continue
      }
      const seen = one.versions
      const nowMs = 1_000_000 + at * 1_000 + one.aheadMs
      const change = { id: `${one.name}-${at}`, clockMs: nextClockMs(seen, nowMs) }
      one.versions = mergeVersions(seen, [change])
      // It comes after all that its author had seen, and hides none of it.
      expect(one.versions).toEqual([change, ...seen].slice(0, versionsKept))
      changes.push(change)
    }
    const merged = (some: readonly Version[]) =>
      some.reduce<Version[]>((before, change) => mergeVersions(before, [change]), [])
    const [a, b, c] = [0, 1, 2].map(() => merged(changes.filter(() => random() < 0.6)))
    expect(mergeVersions(a!, b!)).toEqual(mergeVersions(b!, a!))
    expect(mergeVersions(mergeVersions(a!, b!), c!)).toEqual(mergeVersions(a!, mergeVersions(b!, c!)))
    expect(mergeVersions(a!, a!)).toEqual(a)
    expect(merged([...changes, ...changes].toReversed())).toEqual(merged(changes))
    expect(merged(changes)[0]!.clockMs).toBe(Math.max(...changes.map(({ clockMs }) => clockMs)))
  },
)
