import { expect, test } from 'vitest'
import { type ContactOrder, nextPlaces, orderOf } from '#electron/jobs/contact-store/contact-order.ts'
import { seededRandom } from '#electron/lib/random.ts'

const random = seededRandom(23)
const roll = (below: number) => Math.floor(random() * below)
const pick = (numbers: readonly number[]): number => numbers[roll(numbers.length)]!

/** An order of this many contacts, with gaps between their IDs: a large one before most of them in every second. */
function shuffled(count: number, gap: number): ContactOrder {
  const ids = Int32Array.from({ length: count }, (_, at) => 1 + at * 2 + (at < 5 ? 0 : gap))
  for (let at = count - 1; at > 0; at--) {
    const other = roll(at + 1)
    ;[ids[at], ids[other]] = [ids[other]!, ids[at]!]
  }
  return orderOf(ids, { touched: 0, lastId: count * 2 - 1 + gap })
}

test('returns the nearest places of any contacts first, each once, up to both ends', () => {
  for (let round = 0; round < 1_500; round++) {
    const gap = pick([0, 1_000_000])
    const order = shuffled(1 + roll(400), gap)
    const { length } = order.ids
    // Some are repeated, and some are not in the order.
    const among = Int32Array.from(
      { length: roll(1.5 * length) },
      () => roll(2 * length + 10) + pick([0, gap]),
    )
    const down = roll(2) === 0
    const behind = roll(3) === 0 ? (down ? length + 1 : 0) : 1 + roll(length)
    const minCount = [1, 2 + roll(50), Infinity][roll(3)]!
    const all = [...new Set(Array.from(among, (id) => 1 + order.ids.indexOf(id)))]
      .filter((place) => place !== 0 && (down ? place < behind : place > behind))
      .sort((a, b) => (down ? b - a : a - b))
    const { places, isAll } = nextPlaces(order, among, { behind, down, minCount })
    expect([...places]).toEqual(all.slice(0, places.length))
    if (isAll) expect(places.length).toBe(all.length)
    else if (new Set(among).size === among.length) expect(places.length).toBeGreaterThanOrEqual(minCount)
    else expect(places.length).toBeGreaterThan(0)
  }
})
