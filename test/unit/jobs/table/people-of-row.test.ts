import { expect, test } from 'vitest'
import { createPeopleOfRow } from '#electron/jobs/table/people-of-row.ts'
import { firstRows } from '#electron/lib/csv/sniff-table.ts'

/** A table with each person of a row apart; null if each row names one. */
function apart(...lines: string[]): string[] | null {
  const rows = firstRows(lines.join('\n'), ',', 100, true)
  const people = createPeopleOfRow(rows)
  return (
    people &&
    rows.flatMap((row) => people.apart(row).map((cells) => people.joined({ ...row, cells }).join(',')))
  )
}

test.each([
  [
    [
      'No,Name 1,Mobile 1,SMS ok 1,Name 2,Mobile 2,SMS ok 2',
      '1,Ann,0151 5550101,yes,Bob,0151 5550102,no',
      '2,Cid,0151 5550103,yes,,,no',
    ],
    ['No,Name,Mobile,SMS ok', '1,Ann,0151 5550101,yes', '1,Bob,0151 5550102,no', '2,Cid,0151 5550103,yes'],
  ],
  [
    ['Members 2026', 'Name,Mobile,Name 2,Mobile 2', 'Ann,0151 5550101,Bob,0151 5550102'],
    ['Members 2026', 'Name,Mobile', 'Ann,0151 5550101', 'Bob,0151 5550102'],
  ],
  [
    [
      "Class,Pupil,Mother's mobile,Father's mobile",
      '1a,Lea,0151 5550101,0151 5550102',
      '1b,Tim,,0151 5550103',
    ],
    ['Class,Pupil,mobile', '1a,Lea,0151 5550101', '1a,Lea,0151 5550102', '1b,Tim,0151 5550103'],
  ],
  [
    [
      'Nachname 1,Vorname 1,Handy 1,Nachname 2,Vorname 2,Handy 2,Kind,Handy Kind',
      'Roe,Ann,0151 5550101,Roe,Bob,0151 5550102,Lea,0151 5550103',
    ],
    ['Nachname,Vorname,Handy', 'Roe,Ann,0151 5550101', 'Roe,Bob,0151 5550102', ',Lea,0151 5550103'],
  ],
  [
    ['Phone,Name,,Phone,Name', '0151 5550101,Ann,,0151 5550102,Bob', '0151 5550103,Cid,,,'],
    ['Phone,Name,', '0151 5550101,Ann,', '0151 5550102,Bob,', '0151 5550103,Cid,'],
  ],
  [
    [
      'Name,Phone,Mother name,Mother phone,Father name,Father phone',
      'Lea,,Ann,0151 5550101,Bob,0151 5550102',
      'Tim,0151 5550103,Cid,,,',
    ],
    ['Name,Phone', 'Lea,', 'Ann,0151 5550101', 'Bob,0151 5550102', 'Tim,0151 5550103', 'Cid,'],
  ],
  [
    ['#,Name,Number,SMS ok,,#,name,number ,SMS ok', '1,Ann,0151 5550101,yes,,2,Bob,0151 5550102,no'],
    ['#,Name,Number,SMS ok,', '1,Ann,0151 5550101,yes,', '2,Bob,0151 5550102,no,'],
  ],
])('gives each person of a row a row: %j', (table, expected) => {
  expect(apart(...table)).toEqual(expected)
})

test.each([
  [
    'two phones beside one name',
    ['First Name,Phone 1 - Value,Phone 2 - Value', 'Ann,0151 5550101,0151 5550102'],
  ],
  [
    'a name in two lines',
    ['Name 1,Name 2,Telefon 1,Telefon 2', 'Roe Ltd,,0151 5550101,0151 5550102', 'Poe Ltd,Shop,0151 5550103,'],
  ],
  [
    'more phones than names',
    ['Owner 1 Name,Owner 2 Name,Phone 1,Phone 2,Phone 3', 'Ann,Bob,0151 5550101,0151 5550102,'],
  ],
  [
    "a child's own number",
    ["Name,Mobile,Mother's mobile,Father's mobile", 'Lea,0151 5550101,0151 5550102,0151 5550103'],
  ],
  [
    'two surnames',
    ['Nombre,Apellido 1,Apellido 2,Teléfono 1,Teléfono 2', 'Ana,García,López,600 555 101,600 555 102'],
  ],
  [
    'two surnames, the first without a place',
    ['Nombre,Apellido,Apellido 2,Teléfono,Teléfono 2', 'Ana,García,López,600 555 101,600 555 102'],
  ],
  [
    'two first names and two surnames',
    [
      'Nombre 1,Nombre 2,Apellido 1,Apellido 2,Celular 1,Celular 2',
      'Ana,María,García,López,600 555 101,600 555 102',
    ],
  ],
  [
    'two last names',
    ['First name,Last name,Last name 2,Phone,Phone 2', 'Ana,Roe,Poe,0151 5550101,0151 5550102'],
  ],
  [
    "a child's number beside those of named parents",
    [
      'Pupil,Phone,Mother name,Mother mobile,Father name,Father mobile',
      'Lea,0151 5550101,Ann,0151 5550102,Bob,0151 5550103',
    ],
  ],
  ['no second table', ['Name,Phone,,Name,Phone', 'Ann,0151 5550101,,,']],
  ['no second person', ['Name 1,Mobile 1,Name 2,Mobile 2', 'Ann,0151 5550101,,']],
])('leaves rows as they are that name one person: %s', (_, table) => {
  expect(apart(...table)).toBeNull()
})
