import { expect, test } from 'vitest'
import type { ConsentColumn } from '#contract/people/imports.ts'
import { consentOf } from '../../../../../renderer/src/shared/consent/consent-choices.ts'

const column = (yes: number, no: number, others = 0): ConsentColumn => ({
  column: 2,
  values: [
    { key: 'yes', value: 'Yes', count: yes, means: 'yes', isNo: false },
    { key: 'no', value: 'No', count: no, means: 'no', isNo: true },
  ],
  others,
})
const guess = { column: 2, action: 'skip', no: ['no'] }

test.each([
  ['most agree', column(9, 1), guess],
  ['four of five refuse', column(2, 8), guess],
  ['nearly everybody refuses', column(1, 9), null],
  ['nearly everybody refuses in words not listed', column(2, 1, 17), null],
])('suggests to skip who refuses, and asks about nearly everybody: %s', (_, found, expected) => {
  expect(consentOf(found, [], 'skip')).toEqual(expected)
  const decided = { column: 2, action: 'ignore' as const, no: [] }
  expect(consentOf<'skip' | 'ignore'>(found, [decided], 'skip')).toBe(decided)
})
