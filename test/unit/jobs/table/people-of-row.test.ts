import { expect, test } from 'vitest'
import { createPeopleOfRow } from '#electron/jobs/table/people-of-row.ts'
import type { CsvRow } from '#electron/lib/csv/row-reader.ts'
import { firstRows } from '#electron/lib/csv/sniff-table.ts'

/** A table with each person of a row apart; null if each row names one or may. */
function apart(...lines: string[]): string[] | null {
  const rows = firstRows(lines.join('\n'), ',', 100, true)
  const people = createPeopleOfRow(rows)
  return people?.isSure ? rowsOf(people, rows) : null
}

const rowsOf = (people: NonNullable<ReturnType<typeof createPeopleOfRow>>, rows: readonly CsvRow[]) =>
  rows.flatMap((row) => people.apart(row).map((cells) => people.joined({ ...row, cells }).join(',')))

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
  // The titles decide: a second person may be in a later row.
  [
    ['Name 1,Mobile 1,Name 2,Mobile 2', 'Ann,0151 5550101,,'],
    ['Name,Mobile', 'Ann,0151 5550101'],
  ],
  [
    ['Name,Phone,,Name,Phone', 'Ann,0151 5550101,,,'],
    ['Name,Phone,', 'Ann,0151 5550101,'],
  ],
  [
    [
      'Nombre 1,Apellido 1,Móvil 1,Nombre 2,Apellido 2,Móvil 2',
      'Ana,García,600 555 101,Luis,López,600 555 102',
    ],
    ['Nombre,Apellido,Móvil', 'Ana,García,600 555 101', 'Luis,López,600 555 102'],
  ],
  [
    [
      'Name,Phone,Name 1,Phone 1,Name 2,Phone 2',
      'Ann,0151 5550101,Bob,0151 5550102,Cid,0151 5550103',
      ',,Dee,0151 5550104,,',
    ],
    ['Name,Phone', 'Ann,0151 5550101', 'Bob,0151 5550102', 'Cid,0151 5550103', 'Dee,0151 5550104'],
  ],
  [
    [
      'Familie,Festnetz,Vorname 1,Handy 1,Vorname 2,Handy 2',
      'Roe,030 5550100,Ann,0151 5550101,Bob,0151 5550102',
    ],
    [
      'Familie,Festnetz,Vorname,Handy',
      'Roe,030 5550100,Ann,0151 5550101',
      'Roe,030 5550100,Bob,0151 5550102',
    ],
  ],
  [
    ['Full name,Mobile,Town,Name 2,Phone 2', 'Ann,0151 5550101,Ulm,Bob,0151 5550102'],
    ['Full name,Mobile,Town,Name,Phone', 'Ann,0151 5550101,Ulm,,', ',,Ulm,Bob,0151 5550102'],
  ],
  [
    [
      'Name 1,Mobile 1,Name 2,Mobile 2,Email 2,Email,SMS ok',
      'Ann,0151 5550101,Bob,0151 5550102,bob@example.com,roe@example.com,no',
      'Cid,0151 5550103,Dee,0151 5550104,,poe@example.com,yes',
    ],
    [
      'Name,Mobile,Email,Email,SMS ok',
      'Ann,0151 5550101,,roe@example.com,no',
      'Bob,0151 5550102,bob@example.com,,no',
      'Cid,0151 5550103,,poe@example.com,yes',
      'Dee,0151 5550104,,poe@example.com,yes',
    ],
  ],
  [
    [
      'Schüler,Erziehungsberechtigter 1,Telefon 1,Erziehungsberechtigter 2,Telefon 2',
      'Lea,Ann,0151 5550101,Bob,0151 5550102',
    ],
    ['Schüler,Name,Telefon', 'Lea,Ann,0151 5550101', 'Lea,Bob,0151 5550102'],
  ],
  [
    [
      'Guardian 1 name,Guardian 2 name,Guardian 1 mobile,Guardian 2 mobile',
      'Ann,Bob,0151 5550101,0151 5550102',
    ],
    ['name,mobile', 'Ann,0151 5550101', 'Bob,0151 5550102'],
  ],
  [
    ['Mother mobile 1,Mother mobile 2,Father mobile 1', '0151 5550101,0151 5550102,0151 5550103'],
    ['mobile 1,mobile 2', '0151 5550101,0151 5550102', '0151 5550103,'],
  ],
  [
    ['Parent 1,Parent 1 mobile,Child 1,Child 1 mobile', 'Ann,0151 5550101,Lea,0151 5550102'],
    ['Name,mobile', 'Ann,0151 5550101', 'Lea,0151 5550102'],
  ],
  [
    ['Name,Phone,Contact 2 name,Contact 2 phone', 'Ann,0151 5550101,Bob,0151 5550102'],
    ['Name,Phone', 'Ann,0151 5550101', 'Bob,0151 5550102'],
  ],
  [
    ['Nachname 1,Handy 1,Nachname 2,Handy 2', 'Roe,0151 5550101,Poe,0151 5550102'],
    ['Nachname,Handy', 'Roe,0151 5550101', 'Poe,0151 5550102'],
  ],
  [
    ['Student 1,Student 1 mobile,Student 2,Student 2 mobile', 'Lea,0151 5550101,Tim,0151 5550102'],
    ['Name,mobile', 'Lea,0151 5550101', 'Tim,0151 5550102'],
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
    'two surnames with a phone each',
    ['Nombre,Apellido 1,Teléfono 1,Apellido 2,Teléfono 2', 'Ana,García,600 555 101,López,600 555 102'],
  ],
  [
    'two surnames with a phone each, the first without a place',
    ['Nombre,Apellido,Teléfono,Apellido 2,Teléfono 2', 'Ana,García,600 555 101,López,600 555 102'],
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
  [
    'two first names and one phone',
    ['First name 1,First name 2,Last name,Phone', 'Ana,María,García,0151 5550101'],
  ],
  [
    'two first names and two last names with one phone',
    ['Vorname 1,Vorname 2,Nachname 1,Nachname 2,Telefon', 'Ana,María,García,López,0151 5550101'],
  ],
  [
    'two first names and unpaired phones',
    ['Prénom 1,Prénom 2,Nom,Portable,Portable 2', 'Ana,María,García,06 55 50 10 10,06 55 50 10 11'],
  ],
  ['consents titled like numbers', ['Name 1,SMS ok 1,Name 2,SMS ok 2,Mobile', 'Ann,yes,Bob,no,0151 5550101']],
  ['a group', ['name,phone number,phone number 2', 'Ann,0151 5550101,0151 5550102']],
])('leaves rows as they are that name one person: %s', (_, table) => {
  expect(apart(...table)).toBeNull()
})

test('reads a title of many signs within the time of a test', () => {
  const title = `Phone 1 ${'- '.repeat(200_000)}x`
  expect(apart(`Name 1,${title},Name 2,Phone 2`, 'Ann,0151 5550101,Bob,0151 5550102')).toHaveLength(3)
})

test.each([
  [false, ['Name 1,Name 2,Mobile 1,Mobile 2', 'Ann,Bob,0151 5550101,0151 5550102']],
  [false, ['Name,Name 2,Mobile,Mobile 2', 'Ann,Bob,0151 5550101,0151 5550102']],
  [true, ['Name,Name 1,Mobile 1,Name 2,Mobile 2,Phone', 'Roe,Ann,0151 5550101,Bob,0151 5550102,030 5550100']],
])('leaves it to the operator if titles may be those of one person: %s, %j', (isSure, table) => {
  expect(createPeopleOfRow(firstRows(table.join('\n'), ',', 100, true))?.isSure).toBe(isSure)
})

test.each([
  [
    [
      'Owner,Phone,Tenant 1 name,Tenant 1 phone,Tenant 2 name,Tenant 2 phone',
      'Roe,0151 5550100,Ann,0151 5550101,Bob,0151 5550102',
    ],
    [
      'Owner,Phone,Tenant name,Tenant phone',
      'Roe,0151 5550100,,',
      'Roe,,Ann,0151 5550101',
      'Roe,,Bob,0151 5550102',
    ],
  ],
  [
    ['Company,Mobile,Name 1,Phone 1,Name 2,Phone 2', 'Acme,0151 5550100,Ann,030 5550101,Bob,030 5550102'],
    ['Company,Mobile,Name,Phone', 'Acme,0151 5550100,,', 'Acme,,Ann,030 5550101', 'Acme,,Bob,030 5550102'],
  ],
])("gives the number of a row's owner or company a row, and asks first: %j", (table, expected) => {
  const rows = firstRows(table.join('\n'), ',', 100, true)
  const people = createPeopleOfRow(rows)!
  expect(people.isSure).toBe(false)
  expect(rowsOf(people, rows)).toEqual(expected)
})
