import { expect, test } from 'vitest'
import { dialectSchema } from '#contract/dialect.ts'
import { defaultDialect, dialectCandidates, familiesOf } from '#electron/core/service/field-names/dialect.ts'

test('has valid defaults, assumed until verified', () => {
  expect(dialectSchema.parse(defaultDialect)).toEqual(defaultDialect)
  expect(new Set(Object.values(defaultDialect).map(({ provenance }) => provenance))).toEqual(
    new Set(['assumed']),
  )
})

test('reads a stored dialect without names that are no longer used', () => {
  const stored = { ...defaultDialect, heldMessageStatuses: { value: ['pending'], provenance: 'set by hand' } }
  expect(dialectSchema.parse(stored)).toEqual(defaultDialect)
})

test('tries each default first', () => {
  expect(dialectCandidates.dncCheckParameter[0]).toBe(defaultDialect.dncCheckParameter.value)
  expect(dialectCandidates.analyticsDates[0]).toEqual(defaultDialect.analyticsDates.value)
  expect(dialectCandidates.errorCodeSearchParameter[0]).toBe(defaultDialect.errorCodeSearchParameter.value)
})

test.each(['', 'a b', 'a&b=1', 'a?', 'x'.repeat(65)])('"%s" is not a field name', (value) => {
  const edited = { ...defaultDialect, dncCheckParameter: { value, provenance: 'set by hand' } }
  expect(dialectSchema.safeParse(edited).success).toBe(false)
})

test.each([
  [
    ['dlr', 'mo'],
    ['dlr', 'mo'],
  ],
  [['message.delivered', 'message.failed'], ['dlr']],
  [['message.received'], ['mo']],
  [['invoice.paid'], []],
  [[], []],
])('events %j belong to %j', (events, families) => {
  expect(familiesOf(events, defaultDialect)).toEqual(families)
})
