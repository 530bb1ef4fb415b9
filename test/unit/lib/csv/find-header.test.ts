import { expect, test } from 'vitest'
import { findHeader, firstRows } from '#electron/lib/csv/sniff-table.ts'

const people = 'Vorname,Nachname,Handy,Newsletter\nAnn,A,+491515550123,ja\nBob,B,+491515550124,nein\n'

test.each([
  ['at once', people, 1],
  ['below a title', `Kundenliste Herbst\n${people}`, 2],
  ['below a title and a date', `Kundenliste Herbst,,,\nStand: 26.11.2026,,20261126,\n${people}`, 3],
  ['below a date', `Stand,,2026-11-26,\n${people}`, 2],
  ['below a count', `Anzahl,8,,\n\n${people}`, 3],
  ['nowhere', 'Ann,+12015550101\nBob,+12015550103\n', 0],
  ['nowhere, where a row without a number is wider', 'Ann,+12015550101,\nBob,n/a,x\nCy,+12015550102,y\n', 0],
])('finds the titles of columns %s', (_name, text, row) => {
  expect(findHeader(firstRows(text, ',', 30, true))).toBe(row)
})
