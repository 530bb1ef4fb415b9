import { expect, test } from 'vitest'
import { fieldNamesSchema } from '#contract/field-names.ts'
import {
  defaultFieldNames,
  fieldNameCandidates,
  familiesOf,
} from '#electron/core/service/field-names/default-field-names.ts'

test('has valid defaults, assumed until verified', () => {
  expect(fieldNamesSchema.parse(defaultFieldNames)).toEqual(defaultFieldNames)
  expect(new Set(Object.values(defaultFieldNames).map(({ provenance }) => provenance))).toEqual(
    new Set(['assumed']),
  )
})

test('reads stored field names without those no longer used', () => {
  const stored = {
    ...defaultFieldNames,
    heldMessageStatuses: { value: ['pending'], provenance: 'set by hand' },
  }
  expect(fieldNamesSchema.parse(stored)).toEqual(defaultFieldNames)
})

test('tries each default first', () => {
  expect(fieldNameCandidates.dncCheckParameter[0]).toBe(defaultFieldNames.dncCheckParameter.value)
  expect(fieldNameCandidates.analyticsDates[0]).toEqual(defaultFieldNames.analyticsDates.value)
  expect(fieldNameCandidates.errorCodeSearchParameter[0]).toBe(
    defaultFieldNames.errorCodeSearchParameter.value,
  )
})

test.each(['', 'a b', 'a&b=1', 'a?', 'x'.repeat(65)])('"%s" is not a field name', (value) => {
  const edited = { ...defaultFieldNames, dncCheckParameter: { value, provenance: 'set by hand' } }
  expect(fieldNamesSchema.safeParse(edited).success).toBe(false)
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
  expect(familiesOf(events, defaultFieldNames)).toEqual(families)
})
