import { expect, test } from 'vitest'
import type { ConsentColumn } from '#contract/people/consent.ts'
import { consentOf, undecidedOf } from '../../../../../renderer/src/shared/consent/consent-choices.ts'

const column = (
  count: Partial<Record<'yes' | 'no' | 'unknown' | 'status' | 'note' | 'more' | 'others', number>>,
): ConsentColumn => ({
  column: 2,
  values: [
    { key: 'yes', value: 'Yes', count: count.yes, means: 'yes' as const, isNo: false },
    { key: 'no', value: 'No', count: count.no, means: 'no' as const, isNo: true },
    { key: 'x', value: 'x', count: count.unknown, means: 'unknown' as const, isNo: true },
    { key: '', value: '', count: 3, means: 'unknown' as const, isNo: true },
    { key: 'lead', value: 'Lead', count: count.status, means: 'unknown' as const, isNo: false },
    { key: '…called', value: 'Called', count: count.note, means: 'unknown' as const, isNo: false },
    { key: '…', value: '…', count: count.more, means: 'unknown' as const, isNo: false },
  ].flatMap(({ count: n = 0, ...value }) => (n > 0 ? { ...value, count: n } : [])),
  others: count.others ?? 0,
})
const guess = { column: 2, action: 'skip', no: ['no', ''] }

test.each([
  ['most agree', column({ yes: 9, no: 1 }), guess],
  ['three of four refuse', column({ yes: 4, no: 9 }), guess],
  ['one value has no known meaning', column({ yes: 13, unknown: 1 }), null],
  ['one status has no known meaning beside a refusal', column({ yes: 13, no: 1, status: 1 }), null],
  ['one note has no known meaning beside a refusal', column({ yes: 13, no: 1, note: 1 }), null],
  [
    'one status has no known meaning, and nobody refuses',
    column({ yes: 13, status: 1 }),
    { ...guess, no: [''] },
  ],
  ['texts too many to list beside a refusal', column({ yes: 13, no: 1, more: 1 }), guess],
  ['nearly everybody refuses', column({ yes: 1, no: 9 }), null],
  ['nearly everybody refuses in words not listed', column({ yes: 2, no: 1, others: 17 }), null],
])(
  'suggests to skip who refuses, and asks about nearly everybody or what is unknown: %s',
  (_, found, expected) => {
    expect(consentOf(found, [], 'skip')).toEqual(expected)
    const decided = { column: 2, action: 'ignore' as const, no: [] }
    expect(consentOf<'skip' | 'ignore'>(found, [decided], 'skip')).toBe(decided)
  },
)

test('asks about a file that refuses before its columns, and about these only if its name is ignored', () => {
  const reason = column({ no: 9 })
  const file = { ...column({ no: 9 }), column: 3 }
  const header = ['Name', 'Phone', 'Unsubscribed at']
  const asked = (...choices: { column: number; action: 'skip' | 'ignore'; no: string[] }[]) =>
    undecidedOf([reason, file], header, choices, 'skip')
  expect(asked()).toEqual([file])
  expect(asked({ column: 3, action: 'ignore', no: [] })).toEqual([reason])
})
