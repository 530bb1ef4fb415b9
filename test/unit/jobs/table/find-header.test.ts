import { expect, test } from 'vitest'
import { findHeader } from '#electron/jobs/table/find-header.ts'
import { firstRows } from '#electron/lib/csv/sniff-table.ts'

const people = `Vorname,Nachname,Handy,Newsletter
Ann,A,0151 5550123,ja
Bob,B,+491515550124,nein
Cy,C,,ja
`
const pairs = 'Name,Telefon\nAnn A,030 5550101\nBob B,030 5550102\n'
const other =
  'Kd-Nr,Ort,Branche,Umsatz,Rückrufnummer mobil\n1,Bonn,Bau,8,0151 5550123\n2,Köln,Bau,9,0151 5550124\n'

test.each([
  ['at once', people, 1],
  ['below many lines of filters', `Report\n${'Filter: all,,\n'.repeat(20)}${people}`, 22],
  ['below a title', `Kundenliste Herbst\n${people}`, 2],
  ['below a title and a date', `Kundenliste Herbst,,,\nStand: 26.11.2026,,20261126,\n${people}`, 3],
  ['below a date', `Stand,,2026-11-26,\n${people}`, 2],
  ['below a date over the number, and a blank line', `Liste\nStand,,2026-11-26\n\n${people}`, 4],
  ['below a count', `Anzahl,8,,\n\n${people}`, 3],
  ['below a count over the number', `Kundenliste\nAnzahl Kontakte,,8\n\n${people}`, 4],
  ['below a phone number', `Kundenliste\nAnsprechpartner,Tom Alt,030 55512345\n\n${people}`, 4],
  ['directly below a phone number', `Ansprechpartner,,030 55512345,\n${people}`, 2],
  ['below a row as wide as the table', `Ansprechpartner,Tom Alt,030 55512345,intern\n${people}`, 2],
  ['below two phone numbers', `Büro,,030 55512345,\nZentrale,,+49 30 55512346,\n${people}`, 3],
  ['below an email', `Fragen an,,max@firma.example,\n${people}`, 2],
  ['below a link', `Quelle,,https://firma.example/export,\n${people}`, 2],
  ['below a date, a time and a page', `Export,10:00,26.11.2026,Seite 1\n${people}`, 2],
  ['below a date-time', `Export vom,,2026-11-26T10:00:00,\n${people}`, 2],
  ['below sums of each column', `4,4,3,2\n${people}`, 2],
  ['below a merged title', `"Kunden, Herbst\n2026",,,\n,,,\n${people}`, 3],
  ['below groups of columns', `Person,,Kontakt,\n${people}`, 2],
  [
    'below groups of columns that are titles, too',
    'Person,,Phones,,Consent\nFirst,Last,Home,Mobile,SMS OK\nAnn,A,020 79460030,07400 123146,yes\nBob,B,,07400 123147,no\n',
    2,
  ],
  ['in two rows', 'Name,Kontakt,,Ort\n,Telefon,Mail,\nAnn,0151 5550123,a@a.example,Bonn\n', 2],
  ['below a table of one row', `Ansprechpartner,Name,Telefon,\n,Tom Alt,030 55512345,\n\n${people}`, 4],
  ['below a count as wide as the table', `Anzahl,8\n${pairs}`, 2],
  ['below a date as wide as the table', `Stand,26.11.2026\n${pairs}`, 2],
  ['below a number as wide as the table', `Service,030 55512345\n${pairs}`, 2],
  [
    'below numbers as wide as the table and a blank line',
    `Büro,030 5550001\nZentrale,030 5550002\n\n${pairs}`,
    4,
  ],
  ['of which we know one', other, 1],
  ['of which we know one, below a number', `Kontakt,Tom Alt,,,030 55512345\n${other}`, 2],
  ['with years', `Name,Handy,2024,2025\nAnn A,0151 5550123,8,9\nBob B,0151 5550124,7,6\n`, 1],
  ['with days', `Name,Handy,01.10.2026,20261101\nAnn A,0151 5550123,8,9\nBob B,0151 5550124,7,6\n`, 1],
  [
    'with years, below a count',
    `Anzahl,8\n\nName,Handy,2024,2025\nAnn A,0151 5550123,8,9\nBob B,0151 5550124,7,6\n`,
    3,
  ],
  ['of our export, with tags like numbers', 'name,phone,tag.0151 5550123\nAnn A,0151 5550123,8\n', 1],
  ['of our export in Spanish', 'nombre,telefono,etiqueta.a@b.example\nAnn A,0151 5550123,8\n', 1],
  ['of one column', '\nHandy\n0151 5550123\n0151 5550124\n', 2],
  ['of one column below a title', 'Sperrliste\nHandy\n0151 5550123\n0151 5550124\n', 2],
  ['about consent', 'Stand,20261126\nMobil,SMS-Einwilligung\n0151 5550123,ja\n0151 5550124,nein\n', 2],
  ['of an email', 'Export,20261126\nKlant,E-mail\nAnn,ann@a.example\nBob,bob@b.example\n', 2],
  ['again further down', `${people}${people}`, 1],
  ['above wrong values', 'Name,Telefon,E-Mail\nAda,12,\nBad,+14155550124,nowhere\n"x: email",34,\n', 1],
  ['of a table without rows', 'Kundenliste,,,\nVorname,Nachname,Handy,Newsletter\n', 2],
  ['nowhere', 'Ann,+12015550101\nBob,+12015550103\n', 0],
  ['nowhere, where a row without a number is wider', 'Ann,+12015550101,\nBob,n/a,x\nCy,+12015550102,y\n', 0],
  [
    'nowhere, where a name is a title',
    'Kunde,+491515550123\nClient,+491515550124\nMobile,+491515550125\n',
    0,
  ],
  [
    'nowhere, where a title stands before each number',
    'Ann,Handy,0151 5550123\nBob,Festnetz,030 5550124\n',
    0,
  ],
  ['nowhere, where names stand behind numbers', '+12015550101 Ann\n+12015550102 Bob\n', 0],
  ['nowhere, where a word stands before each number', 'mobile: 030 5550101\ntel: 030 5550102\n', 0],
  ['nowhere, below contacts', `Ann A,030 5550101\nBob B,030 5550102\n${pairs}`, 0],
  ['nowhere, where a person has no phone', 'Ann,0151 5550123,x\nBob,kein Telefon,y\nCy,0151 5550124,z\n', 0],
])('finds the titles of columns %s', (_name, text, row) => {
  expect(findHeader(firstRows(text, ',', 40, true))).toBe(row)
})
