import { type DecimalMark, readNumber } from '../../contract/strict-number.ts'

/** A value read both ways; null where it is no number. */
export interface TwoReadings {
  written: string
  point: string | null
  comma: string | null
}

/** Where both marks occur, one must fit this many times as many values as the other. */
const clearShare = 2
const samplesMax = 3

/**
 * Finds the decimal mark of a column from all its values. `mark` is null when it isn't clear: no value shows it, or values show both marks
 * and none has both, as `1.234,50`. `samples` are values with two meanings, then values that fit only one mark.
 */
export function createMarkFinder() {
  const only = { point: 0, comma: 0 }
  /** Those of them with groups and decimals, which no slip of a finger makes. */
  const proofs = { point: 0, comma: 0 }
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
      const mark = one.comma === null ? 'point' : 'comma'
      only[mark]++
      if (/\.\d/.test(written) && /,\d/.test(written)) proofs[mark]++
      take('single', one)
    },
    result(): { mark: DecimalMark | null; samples: TwoReadings[] } {
      const [mark, other] =
        only.comma > only.point ? (['comma', 'point'] as const) : (['point', 'comma'] as const)
      const isProven = proofs[mark] > 0 && proofs[other] === 0 && only[mark] >= clearShare * only[other]
      const isClear = only[mark] === 0 ? ambiguous === 0 : only[other] === 0 || isProven
      return {
        mark: isClear ? mark : null,
        samples: [...samples.ambiguous, ...samples.single].slice(0, samplesMax),
      }
    },
  }
}
