import { expect, test } from 'vitest'
import { createIdSet } from '#electron/jobs/contact-store/id-set.ts'
import { seededRandom } from '#electron/lib/random.ts'

test('holds the ids that were added, near and far', () => {
  const random = seededRandom(7)
  const some = () => (random() < 0.5 ? 2 ** 31 - 1 - Math.floor(random() * 300) : Math.floor(random() * 300))
  const added = Array.from({ length: 400 }, some)
  const ids = createIdSet(added.slice(0, 100))
  for (const id of added.slice(100)) ids.add(id)
  const known = new Set(added)
  for (const id of [0, 65_535, 65_536, ...Array.from({ length: 1_000 }, some)])
    expect(ids.has(id), String(id)).toBe(known.has(id))
})
