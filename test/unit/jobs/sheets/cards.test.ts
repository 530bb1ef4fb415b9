import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Card, cardsOf } from '#electron/jobs/sheets/cards.ts'
import { readCards } from '#electron/jobs/sheets/card-rows.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

function written(bytes: string | Buffer): string {
  const file = join(tempFolder(), 'cards.vcf')
  writeFileSync(file, bytes)
  return file
}

async function cardsIn(bytes: string | Buffer): Promise<Card[]> {
  const cards: Card[] = []
  for await (const one of cardsOf(written(bytes), async () => {})) cards.push(one)
  return cards
}
const card = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n')
const none: Card['numbers'] = { mobile: [], home: [], work: [], other: [], fax: [] }

const cases: [string, string | Buffer, Partial<Card>][] = [
  [
    'Google, version 3.0, with labels in groups',
    card(
      'VERSION:3.0',
      'FN:Ann Sample',
      'N:Sample;Ann;;;',
      'item1.EMAIL;TYPE=INTERNET:ann@example.com',
      'item1.X-ABLabel:',
      'item2.TEL:+1 202-555-0101',
      'item2.X-ABLabel:_$!<Mobile>!$_',
      'item3.TEL:+1 202-555-0102',
      'item3.X-ABLabel:Assistant',
      'TEL;TYPE=WORK:+1 202-555-0103',
      'NOTE:First line\\nsecond\\, with comma\\; and \\\\',
      'CATEGORIES:myContacts,Fair\\, autumn',
    ),
    {
      name: 'Ann Sample',
      firstName: 'Ann',
      lastName: 'Sample',
      emails: ['ann@example.com'],
      numbers: {
        ...none,
        mobile: ['+1 202-555-0101'],
        work: ['+1 202-555-0103'],
        other: ['+1 202-555-0102'],
      },
      note: 'First line\nsecond, with comma; and \\',
      categories: ['myContacts', 'Fair, autumn'],
    },
  ],
  [
    'iCloud, version 3.0, folded lines and preferred types',
    card(
      'VERSION:3.0',
      'N:Sample;Zoë;Maria;Dr.;',
      'FN:Dr. Zoë Maria',
      '  Sample',
      'ORG:Sample Ltd;Sales;',
      'TEL;type=HOME;type=VOICE:020 7946 0101',
      'TEL;type=CELL;type=VOICE;type=pref:07700 900123',
      'TEL;type=IPHONE;type=CELL;type=VOICE:07700 900124',
      'TEL;type=WORK;type=FAX:020 7946 0102',
      'TEL;type=MAIN:020 7946 0103',
      'EMAIL;type=HOME:home@example.com',
      'EMAIL;type=WORK;type=pref:work@example.com',
      'PHOTO;ENCODING=b;TYPE=JPEG:' + 'A'.repeat(70),
      ' ' + 'B'.repeat(70),
    ),
    {
      name: 'Dr. Zoë Maria Sample',
      firstName: 'Zoë',
      lastName: 'Sample',
      organization: 'Sample Ltd, Sales',
      numbers: {
        mobile: ['07700 900123', '07700 900124'],
        home: ['020 7946 0101'],
        work: [],
        other: ['020 7946 0103'],
        fax: ['020 7946 0102'],
      },
      emails: ['work@example.com', 'home@example.com'],
    },
  ],
  [
    'version 4.0 with addresses as numbers',
    card(
      'VERSION:4.0',
      'FN:李样本',
      'TEL;VALUE=uri;PREF=2;TYPE="voice,home":tel:+1-202-555-0104;ext=101',
      'TEL;VALUE=uri;PREF=1;TYPE="cell,text":tel:+1-202-555-0105',
      'TEL:tel:%2B12025550106',
      'EMAIL;PREF=1:one@example.com',
      'N:样本;李;;;',
      'CATEGORIES:Family,Friends',
    ),
    {
      name: '李样本',
      numbers: {
        ...none,
        mobile: ['+1-202-555-0105'],
        home: ['+1-202-555-0104;ext=101'],
        other: ['+12025550106'],
      },
      categories: ['Family', 'Friends'],
    },
  ],
  [
    'Android and Nokia, version 2.1, quoted-printable with soft line breaks',
    card(
      'VERSION:2.1',
      'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4D=C3=BC=6C=6C=65=72;=4A=C3=B6=72=67;;;',
      'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4A=C3=B6=72=67=20=',
      '=4D=C3=BC=6C=6C=65=72',
      'TEL;CELL;PREF:+4915112345678',
      'TEL;HOME:030123456',
      'TEL;X-Handy:0171 1234567',
      'NOTE;ENCODING=QUOTED-PRINTABLE:one=0D=0Atwo =3D 2',
    ),
    {
      name: 'Jörg Müller',
      firstName: 'Jörg',
      lastName: 'Müller',
      numbers: { ...none, mobile: ['+4915112345678', '0171 1234567'], home: ['030123456'] },
      note: 'one\ntwo = 2',
    },
  ],
  [
    'Outlook, version 2.1, in Windows-1252',
    Buffer.from(
      card(
        'VERSION:2.1',
        'N;LANGUAGE=de;CHARSET=Windows-1252:Straße;Jürgen',
        'FN;CHARSET=Windows-1252:Jürgen Straße',
        'TEL;WORK;VOICE:+49 30 123456',
        'TEL;WORK;FAX:+49 30 123457',
        'EMAIL;PREF;INTERNET:j@example.com',
      ),
      'latin1',
    ),
    {
      name: 'Jürgen Straße',
      numbers: { ...none, work: ['+49 30 123456'], fax: ['+49 30 123457'] },
      emails: ['j@example.com'],
    },
  ],
  [
    'Windows-1252 without a character set',
    Buffer.from(card('VERSION:3.0', 'FN:José Muestra', 'TEL:612345678'), 'latin1'),
    { name: 'José Muestra', numbers: { ...none, other: ['612345678'] } },
  ],
  [
    'Cyrillic in quoted-printable and Windows-1251',
    card(
      'VERSION:2.1',
      'FN;CHARSET=windows-1251;ENCODING=QUOTED-PRINTABLE:=C0=ED=ED=E0',
      'TEL;CELL:+79161234567',
    ),
    { name: 'Анна', numbers: { ...none, mobile: ['+79161234567'] } },
  ],
  [
    'UTF-16 with a byte order mark',
    Buffer.from(`\ufeff${card('VERSION:3.0', 'FN:Ωmega', 'TEL;CELL:+306912345678')}`, 'utf16le'),
    { name: 'Ωmega', numbers: { ...none, mobile: ['+306912345678'] } },
  ],
  [
    'lower case, a byte order mark, spaces and single line feeds',
    '\ufeffbegin:vcard\nversion:3.0\nfn:Ann\ntel;type=cell:+1 (202) 555-0101 \nend:vcard\n',
    { name: 'Ann', numbers: { ...none, mobile: ['+1 (202) 555-0101'] } },
  ],
  [
    'WhatsApp, with its number as a parameter',
    card(
      'VERSION:3.0',
      'N:;Ann;;;',
      'item1.TEL;waid=12025550101:+1 (202) 555-0101',
      'item1.X-ABLabel:Mobile',
    ),
    { name: 'Ann', numbers: { ...none, mobile: ['+1 (202) 555-0101'] } },
  ],
  [
    'a company without a name',
    card('VERSION:3.0', 'FN:', 'N:;;;;', 'ORG:Sample Ltd', 'TEL:+12025550101', 'TEL:+12025550101'),
    {
      name: 'Sample Ltd',
      firstName: 'Sample',
      lastName: 'Ltd',
      numbers: { ...none, other: ['+12025550101'] },
    },
  ],
  [
    'an assistant within, version 2.1',
    card(
      'VERSION:2.1',
      'FN:Ann',
      'AGENT:',
      'BEGIN:VCARD',
      'FN:Bob',
      'TEL:1',
      'END:VCARD',
      'TEL:+12025550101',
    ),
    { name: 'Ann', numbers: { ...none, other: ['+12025550101'] } },
  ],
  [
    'labels that people wrote, in Spanish',
    card(
      'VERSION:3.0',
      'FN:Ana',
      'a.TEL:612345678',
      'a.X-ABLABEL:Móvil personal',
      'b.TEL:912345678',
      'b.X-ABLABEL:Casa',
    ),
    { numbers: { ...none, mobile: ['612345678'], home: ['912345678'] } },
  ],
]

cases.push(
  [
    'UTF-16 without a byte order mark',
    Buffer.from(card('VERSION:3.0', 'FN:Zoë', 'TEL;CELL:+12025550101'), 'utf16le'),
    { name: 'Zoë', numbers: { ...none, mobile: ['+12025550101'] } },
  ],
  [
    'Windows-1251 without a character set',
    Buffer.from(
      card('VERSION:2.1', 'FN:\xc0\xed\xed\xe0 \xd1\xec\xe8\xf0\xed\xee\xe2\xe0', 'TEL:+79161234567'),
      'latin1',
    ),
    { name: 'Анна Смирнова' },
  ],
  [
    'several first names, and a label that only contains a kind',
    card('VERSION:4.0', 'N:Sample;Ann,Maria;;;', 'a.TEL:+12025550101', 'a.X-ABLabel:Immobilien'),
    { firstName: 'Ann Maria', name: 'Ann Maria Sample', numbers: { ...none, other: ['+12025550101'] } },
  ],
)

const indented = (blanks: string, text: string) => text.replace(/^(?=.)/gm, blanks)
cases.push(
  [
    'a lone soft line break before a number',
    card('FN:Ann', 'NOTE;ENCODING=QUOTED-PRINTABLE:one=0D=0A=', '=', 'TEL;CELL:+12025550101'),
    { note: 'one', numbers: { ...none, mobile: ['+12025550101'] } },
  ],
  [
    'a lone soft line break within a note, a number in it, and a stray line',
    card(
      'FN:Ann',
      'NOTE;ENCODING=QUOTED-PRINTABLE:one=0D=0A=',
      '=',
      'two=0D=0A= ',
      'TEL: ask Bob',
      '=',
      'TEL:+12025550101',
    ),
    { note: 'one\ntwo\nTEL: ask Bob', numbers: { ...none, other: ['+12025550101'] } },
  ],
  [
    'a soft line break at the end',
    card('FN:Ann', 'TEL:+12025550101', 'NOTE;ENCODING=QUOTED-PRINTABLE:one='),
    { note: 'one', numbers: { ...none, other: ['+12025550101'] } },
  ],
  [
    'all lines indented, one of them folded',
    indented('  ', card('VERSION:3.0', 'FN:Ann', '  Sample', 'TEL;TYPE=CELL:+12025550101')),
    { name: 'Ann Sample', numbers: { ...none, mobile: ['+12025550101'] } },
  ],
  [
    'only its properties indented, by a tab',
    '\ufeff' +
      card('', '\tVERSION:2.1', '\tFN;ENCODING=QUOTED-PRINTABLE:Ann=', '\t=20Sample', '\tTEL:+12025550101'),
    { name: 'Ann Sample', numbers: { ...none, other: ['+12025550101'] } },
  ],
  [
    'carriage returns: alone, escaped, and twice at the ends of lines',
    [
      'BEGIN:VCARD',
      'FN:Ann',
      'NOTE;ENCODING=QUOTED-PRINTABLE:one=0Dtwo=0D=0D=0Athree',
      'NOTE:four\\r\\nfi',
      ' ve \\\\r',
      'TEL:+12025550101',
      'END:VCARD',
    ].join('\r\r\n'),
    { note: 'one\ntwo\n\nthree\nfour\nfive \\r', numbers: { ...none, other: ['+12025550101'] } },
  ],
)

test.for(cases)('reads a card: %s', async ([, bytes, expected]) => {
  const cards = await cardsIn(bytes)
  expect(cards).toHaveLength(1)
  expect(cards[0]).toMatchObject(expected)
})

test('separates many cards, also without an end, with other lines between', async () => {
  const one = (at: number) =>
    card('VERSION:3.0', `FN:Person ${at}`, `TEL;CELL:+1202555${String(at).padStart(4, '0')}`)
  const many = Array.from({ length: 5_000 }, (_, at) => one(at)).join('\r\n some text\r\n')
  const cards = await cardsIn(`${many}${one(5_000).replace('END:VCARD\r\n', '')}BEGIN:VCARD\r\nFN:Last`)
  expect(cards).toHaveLength(5_002)
  expect(cards.at(-2)).toMatchObject({ name: 'Person 5000', numbers: { mobile: ['+12025555000'] } })
  expect(cards.at(-1)).toMatchObject({ name: 'Last' })
})

test.for(['', '\ufeff'])('separates cards of files put together without a line end: %j', async (mark) => {
  const [ann, bob] = ['Ann', 'Bob'].map((name) => card(`FN:${name}`, `TEL:${name}`).trimEnd())
  expect(await cardsIn(ann + mark + bob)).toMatchObject([
    { name: 'Ann', numbers: { other: ['Ann'] } },
    { name: 'Bob', numbers: { other: ['Bob'] } },
  ])
})

test.for([
  ['folded', 'NOTE:', '', ' '],
  ['quoted-printable', 'NOTE;ENCODING=QUOTED-PRINTABLE:', '=', ''],
] as const)('cuts a property of millions of characters and reads on: %s', async ([, head, end, start]) => {
  const long = Array.from({ length: 40_000 }, () => `${'a'.repeat(70)}${end}\r\n${start}`).join('')
  const [ann] = await cardsIn(card('FN:Ann', `${head}${long}end`, 'TEL:+12025550101'))
  expect(ann).toMatchObject({ name: 'Ann', numbers: { other: ['+12025550101'] } })
  expect(ann!.note.length).toBeLessThan(1.1 * 2 ** 20)
})

describe('as a table', () => {
  async function tableOf(bytes: string, language?: 'es') {
    const rows: string[][] = []
    const file = written(bytes)
    await readCards(
      { file, sizeBytes: 1, language },
      (cells) => rows.push(cells),
      async () => {},
    )
    return rows
  }

  test('has one row per card and a column per kind of number', async () => {
    const [header, ...rows] = await tableOf(
      card(
        'VERSION:3.0',
        'FN:Ann Sample',
        'TEL;TYPE=CELL:+1 202 555 0101',
        'TEL;TYPE=CELL:+1 202 555 0103',
        'CATEGORIES:a,b',
      ) + card('VERSION:3.0', 'FN:Bob Sample', 'TEL;TYPE=WORK:+1 202 555 0102', 'CATEGORIES:a=1,b;c|d'),
    )
    expect(header).toEqual([
      ...[
        'name',
        'first_name',
        'last_name',
        'mobile_phone',
        'mobile_phone_2',
        'home_phone',
        'work_phone',
        'other_phone',
        'fax',
      ],
      ...['email', 'organization', 'note', 'tags'],
    ])
    expect(rows.map((row) => [row[0], row[3], row[4], row[6], row.at(-1)])).toEqual([
      ['Ann Sample', '+1 202 555 0101', '+1 202 555 0103', '', 'a|b'],
      ['Bob Sample', '', '', '+1 202 555 0102', '["a=1","b","c|d"]'],
    ])
  })

  test('has the country of an address where a card names one', async () => {
    const [header, ...rows] = await tableOf(
      card('FN:Ann', 'ADR;TYPE=HOME:;;Weg 1;Bern;;3000;Switzerland', 'TEL;TYPE=CELL:079 456 78 91') +
        card(
          'FN:Bob',
          'item1.ADR;type=WORK:;;;Wien;;1010;',
          'item1.X-ABADR:at',
          'TEL;TYPE=CELL:0664 4567891',
        ) +
        card(
          'FN:Cy',
          'ADR;TYPE=WORK:;;;Paris;;;France',
          'ADR;TYPE=HOME,pref:;;;Lyon;;;',
          'ADR;PREF=1:;;;Genf;;;Schweiz',
        ) +
        card('FN:Di', 'TEL;TYPE=CELL:0151 23456789'),
    )
    expect(header).toContain('country')
    expect(rows.map((row) => row[header!.indexOf('country')])).toEqual(['Switzerland', 'at', 'Schweiz', ''])
  })

  test('has titles in the operator’s language', async () => {
    const [header] = await tableOf(card('FN:Ana'), 'es')
    expect(header!.slice(0, 4)).toEqual(['nombre', 'nombre_de_pila', 'apellidos', 'telefono_movil'])
  })
})
