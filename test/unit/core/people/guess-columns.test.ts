import { expect, test } from 'vitest'
import { guessColumns } from '#electron/core/people/guess-columns.ts'
import { type CsvColumn, titlesOf } from '#electron/jobs/run/csv-headers.ts'

const guess = (sample: string[][], header?: string[]) =>
  guessColumns(header ?? sample[0]!.map((_, at) => `Column ${at + 1}`), sample, header !== undefined).map(
    ({ to }) => to,
  )

test('finds the name by its values in a file without column names', () => {
  expect(
    guess([
      ['Anna Müller', '0171 2345678', 'Berlin', 'anna@x.example'],
      ["Séan O'Neill", '+4917123456', 'Berlin', 'sean@x.example'],
      ['Li Wei', '0171 2345679', 'New York', ''],
    ]),
  ).toEqual(['name', 'phone', 'ignore', 'email'])
  expect(
    guess([
      ['0171 2345678', 'Köln', 'Anna'],
      ['0171 2345679', 'Köln', 'Bob'],
    ]),
  ).toEqual(['phone', 'ignore', 'name'])
})

test('takes no name from numbers, sentences or a column with another meaning', () => {
  expect(guess([['0171 2345678', '4711', 'called back, wants to be told by post what it is']])).toEqual([
    'phone',
    'ignore',
    'ignore',
  ])
  expect(guess([['0171 2345678', 'Berlin']], ['Telefon', 'Stadt'])).toEqual(['phone', 'ignore'])
})

test.each(['en', 'es'] as const)('knows every column of our own exports (%s)', (language) => {
  const columns: CsvColumn[] = [
    'name',
    'phone',
    'email',
    'tags',
    'note',
    'state',
    'service_id',
    'dnc',
    'held',
  ]
  const header = [
    ...titlesOf([...columns, 'created_at', 'updated_at'], language),
    `${titlesOf(['tag'], language)}.a.b`,
  ]
  const ignored = Array.from({ length: 6 }, () => 'ignore')
  expect(guess([header.map(() => '+4917123456701')], header)).toEqual([
    ...columns.slice(0, 5),
    ...ignored,
    'tag',
  ])
})

test.each(['en', 'es'] as const)(
  'takes no number from the report columns of rejected rows (%s)',
  (language) => {
    const header = ['who', ...titlesOf(['row', 'outcome', 'reason'], language)]
    expect(guess([['Ada', '1000201', 'invalid', 'it is empty']], header)).toEqual([
      'ignore',
      'ignore',
      'ignore',
      'ignore',
    ])
  },
)

test.each(['tag.city', 'tags.city', 'Tags.city', 'tag_city', 'tags:city'])(
  '%s becomes the tag city',
  (title) => {
    expect(guessColumns(['phone', title], [['+4917123456701', 'Bonn']], true)[1]).toEqual({
      to: 'tag',
      tagKey: 'city',
    })
  },
)

test('takes the mobile column first among several and never a fax', () => {
  const header = ['Telefon', 'Mobil', 'Telefax']
  const rows = [
    ['030 1234567', '0151 20007919', '030 1234568'],
    ['030 1234569', '', '030 1234560'],
  ]
  expect(guessColumns(header, rows, true)).toEqual([
    { to: 'phone', rank: 2 },
    { to: 'phone', rank: 1 },
    { to: 'ignore' },
  ])
  expect(guess([['030 1234567', 'none', 'x']], header)).toEqual(['phone', 'ignore', 'ignore'])
})

test.each(
  `Sales rep phone|Referrer Phone|Referral phone|Store phone|Shop phone|Invalid phone|Old phone|Old mobile|Previous phone|Wrong number phone|Inactive mobile|Agent phone|Broker Mobile|Driver phone|Doctor phone|Mother Mobile|Partner phone|Next of kin phone|Supplier phone|Support phone|Branch phone|Guardian Cell|Reference phone|Hotline phone|Teléfono del vendedor|Teléfono tienda|Teléfono anterior|Móvil antiguo|Teléfono inválido|Teléfono del cónyuge|Telefon Filiale|Telefon Vertreter|Telefon Berater|Alte Handynummer|Ungültige Telefonnummer|Telefon Mutter|Notfall Telefon|Téléphone magasin|Téléphone vendeur|Ancien téléphone|Portable conjoint|Téléphone invalide|Telefono negozio|Telefono venditore|Vecchio telefono|Telefono errato|Cellulare coniuge|Telefone loja|Telefone do vendedor|Telefone antigo|Celular inválido|Telefone do cônjuge|Telefoon winkel|Telefoon verkoper|Oude telefoon|Ongeldig telefoonnummer|Mobiel partner|Téléphone personne à prévenir|Teléfono del tutor|Teléfono de urgencia`.split(
    '|',
  ),
)('takes no number from %s, of another person or no longer used', (title) => {
  expect(guess([['+44 7400 123456', '+44 7400 123457']], ['Contact Phone', title])).toEqual([
    'phone',
    'ignore',
  ])
  expect(guess([['+44 7400 123457', '+44 7400 123456']], [title, 'Contact Phone'])).toEqual([
    'ignore',
    'phone',
  ])
})

test.each([
  'Contact Phone',
  'Alt. phone',
  'Work phone',
  'Business Mobile',
  'Company phone',
  'Teléfono comercial',
  'Main phone',
  ...[
    'Mob.',
    'Mob No',
    'Mobilnr.',
    'Ph. No',
    'Cel.',
    'Fone',
    'Tlf.',
    'Nr telefonu',
    'Puhelin',
    'Broj telefona',
  ],
  ...[
    'Номер телефона',
    'No. HP',
    'No Telp',
    'Nomor HP',
    'SĐT',
    'Điện thoại',
    'เบอร์โทร',
    'Contact No.',
    'Contact',
  ],
])('takes a number from %s', (title) => {
  // By its title: both columns hold digits that may be a number.
  expect(guess([['Ann', '7400123456', '7400123457']], ['Name', 'Value', title])).toEqual([
    'name',
    'ignore',
    'phone',
  ])
})

test.each([
  ['Default Address Country Code', 'AT', 'country'],
  ['Mailing Country', 'United States', 'country'],
  ['Land', 'Österreich', 'country'],
  ['País', 'Reino Unido', 'country'],
  ['Address 1 - Country', 'DE', 'country'],
  ['Country/Region', 'Germany', 'country'],
  ['Phone Country Code', '+43', 'country'],
  ['Dial Code', '43', 'country'],
  ['ISD code', '+43', 'country'],
  ['phone_code', '43', 'country'],
  ['Ländervorwahl', '0043', 'country'],
  ['Prefijo', '+43', 'country'],
  ['Indicatif', '+43', 'country'],
  ['Prefix', 'Dr', 'ignore'],
  ['CC', 'nz', 'country'],
  ['cc', 'AUS', 'country'],
  ['ISO', 'SE', 'country'],
  ['country_iso', 'SWE', 'country'],
  ['iso2', 'gb', 'country'],
  ['CNTRY_CD', 'NG', 'country'],
  ['Länderkennzeichen', 'A', 'country'],
  ['LKZ', 'CH', 'country'],
  ['CC', '49', 'ignore'],
  ['CC', 'ada@x.example', 'email'],
  ['CC', 'tbd', 'ignore'],
  ['ISO', 'ISO 9001', 'ignore'],
  ['Language ISO', 'de', 'ignore'],
  ['Country', 'Bavaria', 'ignore'],
  ['Country of birth', 'AT', 'ignore'],
  ['IP Country', 'AT', 'ignore'],
  ['Nat.', 'AT', 'ignore'],
  ['Land (Staatsangehörigkeit)', 'AT', 'ignore'],
  ['Landline notes', 'AT', 'note'],
  ['Bundesland', 'Tirol', 'ignore'],
  ['State', 'DE', 'ignore'],
])('the column %s with %s: %s', (title, value, expected) => {
  expect(guess([['0664 5551302', value]], ['Phone', title])[1]).toBe(expected)
})

test('takes the country of the number, then the fullest column', () => {
  const header = ['Phone', 'Billing Country', 'Mailing Country', 'Phone Country']
  const rows = [
    ['0664 5551302', '', 'AT', 'AT'],
    ['0664 5551303', 'DE', 'AT', ''],
  ]
  expect(guess(rows, header).slice(1)).toEqual(['ignore', 'ignore', 'country'])
  expect(guess(rows, header.slice(0, 3)).slice(1)).toEqual(['ignore', 'country'])
})

test('takes a mobile before a landline, and the number of a contact before an ID', () => {
  const landlines = ['Mob.', 'Tel (work)']
  expect(guess([['07400 123456', '020 7946 0018']], landlines)).toEqual(['phone', 'phone'])
  expect(guessColumns(landlines, [['07400 123456', '020 7946 0018']], true)[0]).toEqual({
    to: 'phone',
    rank: 1,
  })
  const pupils = ['Student Name', 'Contact No.', 'Aadhaar', 'Email ID']
  expect(
    guess(
      [
        ['Asha', '9876543210', '123412341234', 'asha@x.example'],
        ['Bala', 'NA', '123412341235', ''],
        ['Chitra', '9876543212', '123412341236', ''],
      ],
      pupils,
    ),
  ).toEqual(['name', 'phone', 'ignore', 'email'])
  expect(guess([['Asha', '9876543210', '1', '7']], pupils)).toEqual(['name', 'phone', 'ignore', 'ignore'])
})

test('takes the numbers that differ from a log with one number in each row', () => {
  const own = '+12025550100'
  const [ana, bob] = ['+12025550111', '+12025550112']
  expect(
    guess(
      [
        [own, ana],
        [own, bob],
      ],
      ['From', 'To'],
    ),
  ).toEqual(['ignore', 'phone'])
  expect(
    guess(
      [
        [ana, own],
        [bob, own],
      ],
      ['From', 'To'],
    ),
  ).toEqual(['phone', 'ignore'])
})

test.each([
  ['Saved Name', 'Phone Number'],
  ['CUST NAME', 'MOB NO'],
  ['NAME1', 'TELF1'],
  ['Nachname, Vorname', 'Mobiltel'],
  ['Cognome e nome', 'Privattelefon'],
  ['Apellidos y nombre', 'Telefonnr'],
  ['Imię i nazwisko', 'Diensthandy'],
  ['Patient Name (Last, First)', 'Cell Ph'],
  ['Nome do titular', 'Celular/WhatsApp'],
  ['What is your full name?', 'Best phone to reach you'],
  ['Lead', 'Phone1'],
  ['Pupil', 'Parent 1 Mobile'],
  ['Owner', 'Owner Cell'],
  ['會員姓名', '行動電話'],
  ['Utente', 'Do not call'],
])('knows %s and %s', (name, phone) => {
  expect(guess([['Ana Muster', '030 5550123']], [name, phone])).toEqual(['name', 'phone'])
})

test.each([
  ['Vorwahl', '030', '23125101'],
  ['Vorwahl', '30', '23125101'],
  ['Area Code', '(202)', '555-0186'],
  ['DDD', '11', '98765-0001'],
  ['ADC', '11', '98765-0001'],
  ['DDD', '11', '91165-0001'],
])('takes a number beside its area code, which “%s” holds: %s', (title, area, phone) => {
  expect(guess([['Ann', area, phone]], ['Name', title, 'Phone'])).toEqual(['name', 'ignore', 'phone'])
  expect(guess([['Ann', area, `0${area}${phone}`]], ['Name', title, 'Phone'])[2]).toBe('phone')
})

test.each([
  ['Paciente', 'Paciente 000', 'name'],
  ['Pacientes', 'Sol Mar, Ana (2)', 'name'],
  ['Alumno', 'Luz d’Or', 'name'],
  ['Miembro', 'Dr. Peña / Sala 4', 'name'],
  ['Teilnehmerin', 'Ana Muster', 'name'],
  ['Socio', 'S-1001', 'ignore'],
  ['Patient', 'PAT001', 'ignore'],
  ['Member', 'yes', 'ignore'],
  ['Mitglied', 'nein', 'ignore'],
])('who “%s” is, with %s: %s', (title, value, expected) => {
  expect(guess([[value, '+49 30 5550123']], [title, 'Phone'])[0]).toBe(expected)
})

test.each(['First contact', 'Company name', 'Member', 'Product Name', 'Preferred contact'])(
  'takes no name from “%s”',
  (title) => {
    expect(guess([['Ana Muster', '+49 30 5550123', '1']], ['Customer', 'Phone', title])[2]).toBe('ignore')
  },
)

test('takes numbers behind words', () => {
  const rows = [
    ['Ann', 'mob 07400 123456'],
    ['Bob', 'Tel. 07400 123457'],
    ['Cid', "'07400123458'"],
  ]
  expect(guess(rows, ['Name', 'Contact'])).toEqual(['name', 'phone'])
})

test('takes numbers before names in brackets', () => {
  expect(guess([['+49 151 23456789 (Ana)'], ['0151 23456780 (Ben Roe)']])).toEqual(['phone'])
})

test('takes numbers from columns that say only which one it is', () => {
  const header = ['Name', 'Mobil', 'Privat', 'Dienstlich', 'Company', 'Home']
  const rows = [['Ann', '', '030 23125101', '030 23125102', '1000', 'Main St 1']]
  expect(guessColumns(header, rows, true).slice(1)).toEqual([
    { to: 'phone', rank: 1 },
    { to: 'phone', rank: 2 },
    { to: 'phone', rank: 3 },
    { to: 'ignore' },
    { to: 'ignore' },
  ])
})

test('takes a number beside its calling code', () => {
  expect(guess([['Ann', '0049', '1701234567']], ['Name', 'Vorwahl', 'Phone'])).toEqual([
    'name',
    'country',
    'phone',
  ])
})

test('prefers a column named country to one of codes', () => {
  const rows = [['0431 555 0123', 'au', 'New Zealand']]
  expect(guess(rows, ['Phone', 'CC', 'Country'])).toEqual(['phone', 'ignore', 'country'])
})

test.each([
  'Apellido Materno',
  'Ap. Paterno',
  'Materno',
  'Segundo apellido',
  '1.º apellido',
  'Apellido2',
  'Apellido/s',
  'Apellidos (paterno y materno)',
  'Apellido paterno y materno',
  'Primeiro sobrenome',
  'Second last name',
  'Surname 2',
])('takes a last name from “%s”, and a first name beside it', (title) => {
  expect(guess([['Ana', 'Peña', '600 000 102']], ['Nombre', title, 'Celular'])).toEqual([
    'first-name',
    'last-name',
    'phone',
  ])
})

test('tells first and last names apart', () => {
  const rows = [['Dupont', 'Kai', '0151 20007919']]
  expect(guess(rows, ['Nachname', 'Vorname', 'Handy'])).toEqual(['last-name', 'first-name', 'phone'])
  expect(guess(rows, ['Last Name (Billing)', 'First Name (Billing)', 'Phone'])).toEqual([
    'last-name',
    'first-name',
    'phone',
  ])
  expect(guess(rows, ['Name', 'Vorname', 'Handy'])).toEqual(['last-name', 'first-name', 'phone'])
  expect(guess(rows, ['Name', 'Nachname', 'Handy'])).toEqual(['first-name', 'last-name', 'phone'])
  expect(guess(rows, ['Nombre completo', 'Apellidos', 'Móvil'])).toEqual(['name', 'last-name', 'phone'])
  expect(
    guess(
      rows.map(([, ...rest]) => rest),
      ['Last, First', 'Handy'],
    ),
  ).toEqual(['name', 'phone'])
  expect(guess([['Kai Dupont', 'Kai', 'Dupont']], ['Name', 'First name', 'Last_Name'])).toEqual([
    'name',
    'first-name',
    'last-name',
  ])
})
