import { expect, test } from 'vitest'
import { dialectSchema } from '#contract/dialect.ts'
import { defaultDialect, dialectCandidates, familiesOf } from '#electron/core/service/field-names/dialect.ts'

test('every default is valid, and assumed until something proves it', () => {
  expect(dialectSchema.parse(defaultDialect)).toEqual(defaultDialect)
  expect(new Set(Object.values(defaultDialect).map(({ provenance }) => provenance))).toEqual(
    new Set(['assumed']),
  )
})

test('a stored dialect with a name that is no longer used is read without it', () => {
  const stored = { ...defaultDialect, heldMessageStatuses: { value: ['pending'], provenance: 'set by hand' } }
  expect(dialectSchema.parse(stored)).toEqual(defaultDialect)
})

test('each default is the first name to try', () => {
  expect(dialectCandidates.dncCheckParameter[0]).toBe(defaultDialect.dncCheckParameter.value)
  expect(dialectCandidates.analyticsDates[0]).toEqual(defaultDialect.analyticsDates.value)
  expect(dialectCandidates.errorCodeSearchParameter[0]).toBe(defaultDialect.errorCodeSearchParameter.value)
})

test.each(['', 'a b', 'a&b=1', 'a?', 'x'.repeat(65)])('"%s" is no parameter name', (value) => {
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
