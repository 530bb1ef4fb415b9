import { expect, test } from 'vitest'
import { createPostingsBuilder, unpackIds } from '#electron/jobs/contact-store/postings.ts'
import { createSegments, firstPosting } from '#electron/jobs/contact-store/segments.ts'
import { trigramsWithin } from '#electron/jobs/contact-store/trigrams.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { openContacts } from '../../../helpers/open-contacts.ts'

test('merges batches of thousands into segments of up to 50,000 across restarts, readable meanwhile', () => {
  const search = openContacts().open('search')
  const builder = createPostingsBuilder()
  const listed = search.prepare<[], { id: number; contacts: number }>('SELECT id, contacts FROM segments')
  const listOf = search.prepare<[number], Buffer>('SELECT ids FROM postings WHERE id = ?').pluck()
  const random = seededRandom(7)
  const texts = [...new Set(Array.from({ length: 700 }, () => random().toString(36).slice(2, 5)))]
  let segments = createSegments(search)
  let lastId = 0
  const lot = (contacts: number) => {
    for (let at = 0; at < contacts; at++) builder.add(++lastId, texts[lastId % texts.length]!)
    search.transaction(() => segments.add(builder)).immediate()
  }
  /** IDs that the segments have for a text, in order, with repeats. */
  const idsOf = (text: string) =>
    listed
      .all()
      .flatMap(({ id }) => {
        const list = listOf.get(firstPosting(id) + trigramsWithin(text)[0]!)
        const into = new Int32Array(list?.length ?? 0)
        return [...into.subarray(0, list ? unpackIds(list, into) : 0)]
      })
      .sort((a, b) => a - b)
  const some = [texts[0]!, texts[350]!]
  const check = () => {
    for (const text of some) {
      const expected = Array.from({ length: lastId }, (_, at) => at + 1).filter(
        (id) => texts[id % texts.length] === text,
      )
      expect(idsOf(text).join()).toBe(expected.join())
    }
  }

  let pieces = 0
  for (let lots = 1; lots <= 40; lots++) {
    lot(5_000)
    // Others arrive during a merge, and an unfinished one leaves a rest.
    let more = segments.merge()
    if (lots % 3 === 0)
      for (; more; pieces++) {
        check()
        more = segments.merge()
      }
    if (lots % 8 === 2) segments = createSegments(search)
  }
  while (segments.merge()) pieces++
  check()
  expect(pieces).toBeGreaterThan(15)
  const sizes = listed.all().map(({ contacts }) => contacts)
  expect(sizes.reduce((sum, contacts) => sum + contacts)).toBe(200_000)
  expect(sizes.length).toBeLessThan(13)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(50_000)
  const unread = search.prepare(
    `SELECT count(*) FROM postings WHERE id / ${firstPosting(1)} NOT IN (SELECT id FROM segments)`,
  )
  expect(unread.pluck().get()).toBe(0)

  // Of larger ones, as many as fit.
  for (let lots = 0; lots < 6; lots++) lot(20_000)
  while (segments.merge()) continue
  const larger = listed.all().filter(({ contacts }) => contacts === 20_000)
  expect(larger.length).toBeLessThan(3)
  check()
})
