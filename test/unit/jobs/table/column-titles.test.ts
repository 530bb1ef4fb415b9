import { expect, test } from 'vitest'
import { isLastNameFirst } from '#electron/jobs/table/column-titles.ts'

test.each([
  ['Last name, first name', true],
  ['Name, Vorname', true],
  ['Apellidos y nombre', true],
  ['Nom et prénom', true],
  ['Surname Forename', true],
  ['First name, last name', false],
  ['Nombre y apellidos', false],
  ['Name', false],
])('knows from a title whether the last name comes first: %s, %s', (title, isFirst) => {
  expect(isLastNameFirst(title)).toBe(isFirst)
})
