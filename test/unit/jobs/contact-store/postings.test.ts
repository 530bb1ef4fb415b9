import { expect, test } from 'vitest'
import {
  createPostingsBuilder,
  joinPacked,
  keepPacked,
  unpackIds,
} from '#electron/jobs/contact-store/postings.ts'
import { trigramsWithin, writeTrigrams } from '#electron/jobs/contact-store/trigrams.ts'
import { seededRandom } from '#electron/lib/random.ts'

const random = seededRandom(11)
const roll = (below: number) => Math.floor(random() * below)

const unpacked = (packed: Uint8Array): number[] => {
  const into = new Int32Array(packed.length)
  return [...into.subarray(0, unpackIds(packed, into))]
}

const trigramsOf = (text: string): number[] => {
  const all = new Uint32Array(text.length)
  return [...all.subarray(0, writeTrigrams(text, all, 0))]
}

/** Lists by trigram, as the builder returns them. */
function built(contacts: readonly (readonly [id: number, text: string])[]): Map<number, number[]> {
  const builder = createPostingsBuilder()
  for (const [id, text] of contacts) builder.add(id, text)
  const lists = new Map<number, number[]>()
  for (const { trigram, ids } of builder.take()) lists.set(trigram, unpacked(ids))
  return lists
}

const pieces = ['anna', '+49151', 'é', 'Ж', 'ж', '漢字', '😀', '\n', ' ', '@x.example', 'o', '11111']
const someText = () => Array.from({ length: 1 + roll(6) }, () => pieces[roll(pieces.length)]!).join('')

test('lists a contact once under each of its trigrams and no other', () => {
  const contacts = Array.from({ length: 500 }, (_, at) => [1 + at * 3, someText()] as const)
  const lists = built(contacts)
  const expected = new Map<number, number[]>()
  for (const [id, text] of contacts)
    for (const trigram of new Set(trigramsOf(text)))
      expected.set(trigram, [...(expected.get(trigram) ?? []), id])
  expect(lists).toEqual(expected)
})

test('lists trigrams in order and starts over after being emptied', () => {
  const builder = createPostingsBuilder()
  builder.add(1, 'zebra')
  builder.clear()
  builder.add(1, 'apple')
  builder.add(2, 'ape')
  expect(builder.contacts).toBe(2)
  const trigrams = [...builder.take()].map(({ trigram }) => trigram)
  expect(trigrams).toEqual([...new Set([...trigramsOf('apple'), ...trigramsOf('ape')])].sort((a, b) => a - b))
  expect([...builder.take()]).toEqual([])
})

test('refuses an ID that does not ascend and keeps earlier ones', () => {
  const builder = createPostingsBuilder()
  builder.add(5, 'x')
  builder.add(9, 'x')
  for (const id of [9, 8, 0]) expect(() => builder.add(id, 'x')).toThrow(`Contact ${id} reached`)
  builder.add(10, 'x')
  expect(builder.contacts).toBe(3)
  expect([...builder.take()].map(({ ids }) => unpacked(ids))).toEqual([[5, 9, 10]])
  builder.add(1, 'x')
  builder.clear()
  builder.add(1, 'x')
  expect(builder.contacts).toBe(1)
})

test('tells texts of other scripts apart by their characters', () => {
  expect(trigramsWithin('жук')).not.toEqual(trigramsWithin('лук'))
  expect(trigramsWithin('αβγ')).not.toEqual(trigramsWithin('αβδ'))
})

test('packs, joins and intersects lists of any IDs without loss', () => {
  const builder = createPostingsBuilder()
  for (let round = 0; round < 300; round++) {
    const widest = 10 ** (1 + roll(9))
    const some = () =>
      [...new Set(Array.from({ length: roll(200) }, () => 1 + roll(widest)))].sort((a, b) => a - b)
    const [a, b] = [some(), some()]
    const pack = (ids: readonly number[]) => {
      for (const id of ids) builder.add(id, 'x')
      return Buffer.from([...builder.take()][0]?.ids ?? [])
    }
    expect(unpacked(pack(a))).toEqual(a)
    expect(unpacked(joinPacked([pack(a), pack(b), pack(a)]))).toEqual(
      [...new Set([...a, ...b])].sort((x, y) => x - y),
    )
    const kept = Int32Array.from(a)
    expect([...kept.subarray(0, keepPacked(kept, a.length, pack(b)))]).toEqual(
      a.filter((id) => b.includes(id)),
    )
  }
  const edges = [1, 127, 128, 129, 16_383, 16_384, 2_097_152, 268_435_456, 2_147_483_647]
  for (const id of edges) builder.add(id, 'x')
  expect(unpacked([...builder.take()][0]!.ids)).toEqual(edges)
})
