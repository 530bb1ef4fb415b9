import { describe, expect, test } from 'vitest'
import { createNumberList, createRangeList } from '#electron/jobs/table/number-set.ts'
import { seededRandom } from '#electron/lib/random.ts'

const random = seededRandom(5)
/** Numbers of one country with neighbours and repeats. */
const numbers = Array.from({ length: 20_000 }, (_, at) =>
  at % 3 === 0 ? 491_510_000_000 + at : 4_000_000 + Math.floor(random() * 400_000_000_000_000),
)
const wanted = new Set(numbers)
const asked = [
  ...wanted,
  ...[...wanted].flatMap((digits) => [digits - 1, digits + 1]),
  0,
  7,
  999_999_999_999_999,
]

describe('a list of numbers', () => {
  test.each(['as they come', 'sorted', 'twice each'])('contains exactly its numbers: %s', (how) => {
    const given = how === 'twice each' ? [...numbers, ...numbers] : numbers
    const list = createNumberList(
      Float64Array.from(how === 'sorted' ? [...given].sort((a, b) => a - b) : given),
    )
    expect(asked.filter((digits) => list.has(digits) !== wanted.has(digits))).toEqual([])
  })

  test('may be empty', () => {
    expect(createNumberList(new Float64Array()).has(491_711_234_567)).toBe(false)
  })
})

test('ranges contain exactly their numbers, also where they touch, overlap or hold others', () => {
  const ranges = Array.from({ length: 40 }, () => {
    const low = Math.floor(random() * 5_000)
    return { low, high: low + Math.floor(random() ** 4 * 300) }
  })
  const wanted = (digits: number) => ranges.some(({ low, high }) => low <= digits && digits <= high)
  const all = Array.from({ length: 6_000 }, (_, at) => at)
  const list = createRangeList(ranges)
  expect(all.filter((digits) => list.has(digits) !== wanted(digits))).toEqual([])
  expect(createRangeList([]).has(7)).toBe(false)
})
