import { expect, test } from 'vitest'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { allContacts, choicesFor, upload } from '../../../../helpers/contact-files.ts'
import { shareSandbox } from '../../../../helpers/test-core.ts'
import { columnOf, columnsFor } from '#contract/people/column-order.ts'
import { encode } from '../../../../helpers/encode.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const shared = shareSandbox()

/** Imports a file as the page does: with the guessed columns, and the reading that the core found. */
async function imported(rpc: Rpc, fileId: string, region: string) {
  const { importId, choices } = await choicesFor(rpc, fileId)
  const columns = columnsFor(choices.columns, 'phone')
  const { reading } = await rpc.imports.guessReading({
    source: { fileId, columns, countryColumn: columnOf(choices.columns, 'country') },
    region,
    usual: null,
  })
  expect(reading).not.toBeNull()
  const asked = { ...choices, defaultRegion: reading!.region, hasCountryCodes: reading!.hasCountryCodes }
  const { counts } = await rpc.imports.preview({ importId, choices: asked })
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices: asked })).taskId)
  const record = await rpc.imports.get({ importId })
  expect(record.counts).toEqual(counts)
  return { record, format: choices.format, phones: columns.map((at) => at + 1) }
}

interface Case {
  text: string | Buffer
  /** The country of this computer. */
  home?: string
  /** Name, number, and where it matters email and tags. */
  people: unknown[][]
  problems?: Record<string, number>
  more?: object
}

/** What programs really write; all people are invented. */
const cases: Record<string, Case> = {
  'labels of Google': {
    text: [
      'First Name,Middle Name,Last Name,Phonetic First Name,Organization Name,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value',
      'Ann,,Sample,,Example Ltd,,* myContacts,* Work,ann@example.com,,,Mobile,+1 202-555-0123,,',
      'Bob,,Sample,,Example Ltd,,* myContacts ::: VIP ::: * friends,*,bob@example.com,Other,bob2@example.com,Mobile,+1 202-555-0124 ::: +1 202-555-0125,Work,+1 202-555-0126',
      'Cid,,Sample,,Example Ltd,,* myContacts,Work,cid@example.com,,,Work,+1 202-555-0127,Mobile,+1 202-555-0128',
      'Dee,,Sample,,Example Ltd,,* myContacts,,,,,,,Mobile,+1 202-555-0129',
      '',
    ].join('\n'),
    people: [
      ['Ann Sample', '+12025550123', 'ann@example.com', {}],
      ['Cid Sample', '+12025550128', 'cid@example.com', {}],
      ['Dee Sample', '+12025550129', '', {}],
    ],
    // Bob's first cell holds two mobiles, and the next column a number at work.
    problems: { 'number-several': 1 },
  },
  'customers of a shop in several countries': {
    home: 'DE',
    text: [
      'First Name,Last Name,Email,Accepts Email Marketing,Default Address City,Default Address Country Code,Phone,Tags',
      "Ann,Sample,ann@example.com,yes,Wien,AT,'0664 5551302,",
      "Bob,Sample,bob@example.com,yes,Washington,US,'(202) 555-0171,",
      "Cid,Sample,cid@example.com,yes,London,GB,'07400 123456,",
      "Dee,Sample,dee@example.com,yes,Berlin,DE,'0151 55512345,",
      "Eve,Sample,eve@example.com,yes,Bern,CH,'+41 79 555 12 34,",
      "Fay,Sample,fay@example.com,yes,,,'0151 55512346,",
      '',
    ].join('\n'),
    people: [
      ['Bob Sample', '+12025550171'],
      ['Eve Sample', '+41795551234'],
      ['Ann Sample', '+436645551302'],
      ['Cid Sample', '+447400123456'],
      ['Dee Sample', '+4915155512345'],
      ['Fay Sample', '+4915155512346'],
    ],
  },
  'a report with the country’s name, numbers with country codes': {
    home: 'US',
    text: [
      'First Name,Last Name,Mailing Country,Birth Country,Mobile',
      'Ann,Sample,Austria,Germany,436645551302',
      'Bob,Sample,United States,Germany,2025550171',
      'Cid,Sample,Österreich,Austria,436645551303',
      'Dee,Sample,Deutschland,USA,4915155512345',
      '',
    ].join('\n'),
    people: [
      ['Bob Sample', '+12025550171'],
      ['Ann Sample', '+436645551302'],
      ['Cid Sample', '+436645551303'],
      ['Dee Sample', '+4915155512345'],
    ],
  },
  'exports behind each other, with mixed line ends': {
    text: '\ufeffName,Phone,Phone,,City\r\nAna Lopez,+1 201 555 0190,+1 201 555 0290,x,Fort Lee\r\n"Ben\nMiller","+1\u00a0201\u00a0555\u00a00191",,y,"Hoboken, NJ"\n\ufeffName,Phone,Phone,,City\r\nCora Diaz,\u202a+1 201 555 0192\u202c,,,Newark\r"Dan ""D"" Poe",\'+12015550193,,,Clifton\r\n"Eve Roe","=""+12015550194""",,,Passaic\r\nTotal,4,,,\r\n',
    people: [
      ['Ana Lopez', '+12015550190'],
      ['Ben\nMiller', '+12015550191'],
      ['Cora Diaz', '+12015550192'],
      ['Dan "D" Poe', '+12015550193'],
      ['Eve Roe', '+12015550194'],
    ],
    problems: { 'not-a-contact': 2 },
  },
  'a Cyrillic code page': {
    text: encode(
      'Имя;Телефон\r\nАнна Иванова;+1 201 555 0180\r\nБорис Петров;+1 201 555 0181\r\nЮлия Ёлкина;+1 201 555 0182\r\n',
      'windows-1251',
    ),
    people: [
      ['Анна Иванова', '+12015550180'],
      ['Борис Петров', '+12015550181'],
      ['Юлия Ёлкина', '+12015550182'],
    ],
    more: { format: { encoding: 'windows-1251' } },
  },
}

test.each(Object.entries(cases))(
  'imports %s',
  async (_, { text, home = 'DE', people, problems = {}, more }) => {
    const { rpc } = shared
    const result = await imported(rpc, await upload(rpc, 'people.csv', text), home)
    const stored = (await allContacts(rpc)).map(({ name, phone, email, tags }) => [name, phone, email, tags])
    expect(stored.map((person, at) => person.slice(0, people[at]?.length))).toEqual(people)
    expect(result.record.counts.problems).toEqual(problems)
    if (more) expect(result).toMatchObject(more)
  },
)
