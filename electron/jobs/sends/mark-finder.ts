import { type DecimalMark, readNumber } from '../../contract/strict-number.ts'

/** A value read both ways; null where it is no number. */
export interface TwoReadings {
  written: string
  point: string | null
  comma: string | null
}

/** One mark must fit this many times as many values as the other. */
const clearShare = 2
const samplesMax = 3

/**
 * Finds the decimal mark of a column from all its values. `mark` is null when it isn't clear. `samples` are values with two
 * meanings, then values that fit only one mark.
 */
export function createMarkFinder() {
  const only = { point: 0, comma: 0 }
  let ambiguous = 0
  const samples: { ambiguous: TwoReadings[]; single: TwoReadings[] } = { ambiguous: [], single: [] }
  const take = (kind: keyof typeof samples, one: TwoReadings) => {
    const kept = samples[kind]
    if (kept.length < samplesMax && kept.every(({ written }) => written !== one.written)) kept.push(one)
  }
  return {
    add(written: string): void {
      const point = readNumber(written, 'point')
      const comma = readNumber(written, 'comma')
      const one = { written, point: point.ok ? point.text : null, comma: comma.ok ? comma.text : null }
      if (one.point === one.comma) return
      if (one.point !== null && one.comma !== null) {
        ambiguous++
        return take('ambiguous', one)
      }
      only[one.comma === null ? 'point' : 'comma']++
      take('single', one)
    },
    result(): { mark: DecimalMark | null; samples: TwoReadings[] } {
      const { point, comma } = only
      const isClear =
        point + comma === 0 ? ambiguous === 0 : Math.max(point, comma) >= clearShare * Math.min(point, comma)
      const mark = isClear ? (comma > point ? 'comma' : 'point') : null
      return { mark, samples: [...samples.ambiguous, ...samples.single].slice(0, samplesMax) }
    },
  }
}
