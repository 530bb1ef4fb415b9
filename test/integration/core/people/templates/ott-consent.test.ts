import { expect, test } from 'vitest'
import type { RecipientSource } from '#contract/people/templates.ts'
import { confirmSend, dryRun, peopleIn } from '../../../../helpers/bulk-sends.ts'
import { upload } from '../../../../helpers/contact-files.ts'
import { openWithTemplate } from '../../../../helpers/recording-service.ts'

type FileSource = Extract<RecipientSource, { file: unknown }>['file']

/** A console with a template, connected to a service that only records; dry runs of one file. */
async function open(lines: readonly string[]) {
  const { rpc, key, service } = await openWithTemplate({ name: 'Hello', body: 'Hello', variables: [] })
  const fileId = await upload(rpc, 'people.csv', lines.join('\n'))
  const sourceOf = (consent: FileSource['consent'], more: Partial<FileSource> = {}) =>
    peopleIn(fileId, { consent, ...more })
  const plan = (consent: FileSource['consent'] = [], more: Partial<FileSource> = {}) =>
    dryRun(rpc, { key, source: sourceOf(consent, more) })

  /** Sends a dry run. Returns the numbers that the service got, by their last four digits. */
  async function reached({ id }: Awaited<ReturnType<typeof plan>>) {
    await confirmSend(rpc, id, { uncheckedKnowingly: true })
    const state = async () => (await rpc.templates.sendOf({ id })).send.state
    await expect.poll(state, { timeout: 60_000 }).toBe('finished')
    const asked = service.asked('POST /ott/messages')
    return asked.map(({ body }) => /"\+\d+(\d{4})"/.exec(body)?.[1]).sort()
  }
  const whole = { fileId, headerRow: 1, phoneColumn: 1, region: 'DE', hasCountryCodes: false }
  return { found: () => rpc.imports.consent(whole), plan, reached }
}

/** Eve's second number is Fay's first; Gil says no in one of two rows; Ina, Jan and Kim share a second number. */
const people = [
  'Name;Handy;Telefon 2;Newsletter;SMS Opt-out',
  'Ann;0170 5554001;;ja;',
  'Bob;0170 5554002;;nein;',
  'Cid;0170 5554003;;ja;yes',
  'Dee;0170 5554004;;vielleicht;',
  'Eve;0170 5554005;0170 5554006;abgemeldet;',
  'Fay;0170 5554006;;ja;',
  'Gil;0170 5554007;;ja;',
  'Gil;0170 5554007;;ja;true',
  'Hal;12;;nein;',
  'Ina;0170 5554011;0170 5554099;nein;',
  'Jan;0170 5554012;0170 5554099;ja;',
  'Kim;0170 5554013;0170 5554099;ja;',
]

test('sends to nobody who refuses in the recipients’ file, unless you decide otherwise', async () => {
  const { found, plan, reached } = await open(people)
  const { items } = await found()
  const told = items.map(({ column, values }) => [
    column,
    ...values.map(({ key, count, isNo }) => `${count} × ${key}${isNo ? ' (no)' : ''}`),
  ])
  expect(told).toEqual([
    [3, '7 × ja', '3 × nein (no)', '1 × vielleicht (no)', '1 × abgemeldet (no)'],
    [4, '10 × ', '1 × yes (no)', '1 × true (no)'],
  ])
  const undecided = await plan()
  expect(undecided.send.counts).toMatchObject({ recipients: 12, willSend: 3, refused: 8, badNumber: 1 })
  expect(undecided.leftOut[0]).toMatchObject({
    phone: '+491705554002',
    leftOut: 'refused',
    reason: { key: 'plan.refused', said: 'Newsletter: nein' },
  })

  expect(await reached(undecided)).toEqual(['4001', '4012', '4013'])

  const decided = await plan([
    { column: 3, action: 'skip', no: ['nein', 'abgemeldet'] },
    { column: 4, action: 'ignore', no: [] },
  ])
  expect(decided.first.map(({ phone }) => phone.slice(-4)).join(' ')).toBe('4001 4003 4004 4007 4012 4013')
  expect(decided.send.counts).toMatchObject({ willSend: 6, refused: 4, repeated: 1, badNumber: 1 })
})

test('plans no send while notes that may refuse are undecided beside a refusal', async () => {
  const { plan } = await open([
    'Name;Handy;Notiz',
    'Ann;0170 5554001;mal sehen',
    'Bob;0170 5554002;nicht anrufen',
  ])
  expect((await plan()).task).toMatchObject({ state: 'failed', problem: { code: 'CONSENT_UNDECIDED' } })
  const decided = await plan([{ column: 2, action: 'skip', no: ['nicht anrufen'] }])
  expect(decided.send.counts).toMatchObject({ willSend: 1, refused: 1 })
})

test('sends to a row’s first readable number, except in columns that the operator excludes', async () => {
  const { plan } = await open(['Name;Handy;Telefon 2', 'Ann;;0170 5554001', 'Bob;12;0170 5554002', 'Cid;;'])
  const { first, send } = await plan()
  expect(first.map(({ name, phone }) => [name, phone])).toEqual([
    ['Ann', '+491705554001'],
    ['Bob', '+491705554002'],
  ])
  expect(send.counts).toMatchObject({ badNumber: 1 })
  expect((await plan([], { numberColumns: [1] })).send.counts).toMatchObject({ willSend: 0, badNumber: 3 })
})

test('knows a recipient by all columns of their name, unless you choose another one or none', async () => {
  const { plan } = await open(['Vorname;Handy;Nachname;Firma', "'Ann';0170 5554001;Roe;Roe Ltd"])
  const nameBy = async (nameColumn: number | null) => (await plan([], { nameColumn })).first[0]!.name
  expect(await Promise.all([0, 2, 3, null].map(nameBy))).toEqual(['Ann Roe', 'Roe', 'Roe Ltd', ''])
})
