import { expect, test } from 'vitest'
import type { ConsentColumn } from '#contract/people/consent.ts'
import { consentOf, undecidedOf } from '../../../../../renderer/src/shared/consent/consent-choices.ts'

const column = (
  yes: number,
  no: number,
  others = 0,
  unknown = 0,
  status = 0,
  notes = 0,
  more = 0,
): ConsentColumn => ({
  column: 2,
  values: [
    { key: 'yes', value: 'Yes', count: yes, means: 'yes' as const, isNo: false },
    { key: 'no', value: 'No', count: no, means: 'no' as const, isNo: true },
    { key: 'x', value: 'x', count: unknown, means: 'unknown' as const, isNo: true },
    { key: '', value: '', count: 3, means: 'unknown' as const, isNo: true },
    { key: 'lead', value: 'Lead', count: status, means: 'unknown' as const, isNo: false },
    { key: '…called', value: 'Called', count: notes, means: 'unknown' as const, isNo: false },
    { key: '…', value: '…', count: more, means: 'unknown' as const, isNo: false },
  ].filter(({ count }) => count > 0),
  others,
})
const guess = { column: 2, action: 'skip', no: ['no', ''] }

test.each([
  ['most agree', column(9, 1), guess],
  ['three of four refuse', column(4, 9), guess],
  ['one value has no known meaning', column(13, 0, 0, 1), null],
  ['one status has no known meaning beside a refusal', column(13, 1, 0, 0, 1), null],
  ['one note has no known meaning beside a refusal', column(13, 1, 0, 0, 0, 1), null],
  ['one status has no known meaning, and nobody refuses', column(13, 0, 0, 0, 1), { ...guess, no: [''] }],
  ['texts too many to list beside a refusal', column(13, 1, 0, 0, 0, 0, 1), guess],
  ['nearly everybody refuses', column(1, 9), null],
  ['nearly everybody refuses in words not listed', column(2, 1, 17), null],
])(
  'suggests to skip who refuses, and asks about nearly everybody or what is unknown: %s',
  (_, found, expected) => {
    expect(consentOf(found, [], 'skip')).toEqual(expected)
    const decided = { column: 2, action: 'ignore' as const, no: [] }
    expect(consentOf<'skip' | 'ignore'>(found, [decided], 'skip')).toBe(decided)
  },
)

test('asks about a file that refuses before its columns, and about these only if its name is ignored', () => {
  const reason = column(0, 9)
  const file = { ...column(0, 9), column: 3 }
  const header = ['Name', 'Phone', 'Unsubscribed at']
  const asked = (...choices: { column: number; action: 'skip' | 'ignore'; no: string[] }[]) =>
    undecidedOf([reason, file], header, choices, 'skip')
  expect(asked()).toEqual([file])
  expect(asked({ column: 3, action: 'ignore', no: [] })).toEqual([reason])
})
