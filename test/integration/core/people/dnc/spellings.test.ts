import { expect, onTestFinished, test } from 'vitest'
import { importFile } from '../../../../helpers/contact-files.ts'
import { createFastDayClock } from '../../../../helpers/fast-clock.ts'
import { startOttService } from '../../../../helpers/ott-service.ts'
import { type Rpc, startCore } from '../../../../helpers/start-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const channelId = '96d03559-3298-4c60-a38e-3e26769de09c'
const unmarked = { uncheckedKnowingly: true }
const reading = { hasCountryCodes: false }

/** Entries of a list as people write it, and the person whom each means. The last ones need the country. */
const entries = [
  ['+44 (0)7400 123456', '+447400123456'],
  ['447400123457.0', '+447400123457'],
  ['447400123458', '+447400123458'],
  ['whatsapp:+12015550132', '+12015550132'],
  ['+1\u200b2015550131', '+12015550131'],
  ['0044 7400 123460', '+447400123460'],
  ['tel:+44-7400-123461;ext=2', '+447400123461'],
  ['＋４４７４００１２３４６２', '+447400123462'],
  ['4.47400123463E+11', '+447400123463'],
  ['="+447400123464"', '+447400123464'],
  ['+44 7400 123465 / +44 7400 123466', '+447400123465'],
  ['+44 7400 123465 / +44 7400 123466', '+447400123466'],
  ['447400123467@c.us', '+447400123467'],
  ['Mobile: +44 7400 123468 (work)', '+447400123468'],
  ['447,400,123,469', '+447400123469'],
  ['+447400123475,,123#', '+447400123475'],
  ['+447400123476 (2)', '+447400123476'],
] as const
const nationalEntries = [
  ['07400123459', '+447400123459'],
  ['(0)7400 123470', '+447400123470'],
  ['7400 123471', '+447400123471'],
  ['7400123472.0', '+447400123472'],
  ['07400 123473 / 123474', '+447400123473'],
  ['07400 123473 / 123474', '+447400123474'],
] as const
const free = ['+447400124001', '+12015550199']

/** A number as it may be written in Great Britain. */
function spellings(phone: string): string[] {
  const digits = phone.slice(1)
  const common = [
    phone,
    `00${digits}`,
    digits,
    `tel:${phone}`,
    `${digits}.0`,
    `${phone.slice(0, 5)} ${phone.slice(5)}`,
  ]
  if (!phone.startsWith('+44')) return common
  const national = phone.slice(3)
  return [...common, `0${national}`, national, `+44 (0)${national}`, `(0)${national}`, `44 (0)${national}`]
}

async function open(dnc: readonly string[], country: string | null) {
  const service = await startOttService()
  onTestFinished(() => service.stop())
  service.dnc = [...new Set(dnc)]
  const running = await startCore({ clock: createFastDayClock(20) })
  onTestFinished(() => running.stop())
  const { rpc } = running
  const { connection } = await rpc.connections.connect({
    name: 'List',
    baseUrl: service.baseUrl,
    colour: 'blue',
    production: false,
    credential: { kind: 'api-key', apiKey: 'k-1' },
  })
  const choose = (next: string | null) => rpc.connections.update({ ...connection, country: next })
  if (country !== null) await choose(country)
  expect(await taskEnd(rpc, (await rpc.dnc.sync()).taskId)).toMatchObject({ state: 'done' })
  return { service, rpc, choose }
}

async function upload(rpc: Rpc, lines: readonly string[]): Promise<string> {
  const bytes = Buffer.from(['Phone;Name', ...lines.map((line) => `"${line}";Person`)].join('\n'))
  const { fileId } = await rpc.files.begin({ name: 'list.csv', sizeBytes: bytes.length })
  await rpc.files.append({ fileId, offset: 0, base64: bytes.toString('base64') })
  return fileId
}

const cache = async (rpc: Rpc) => (await rpc.dnc.list({ which: 'all', limit: 1 })).cache

/** Contacts everyone in every way, and returns which numbers reached the service, or were called clear. */
async function contactAll(
  { service, rpc }: Awaited<ReturnType<typeof open>>,
  written: readonly string[],
): Promise<Record<'pushed' | 'sent' | 'clear', Set<string>>> {
  const region = 'GB'
  const clear = new Set<string>()
  for (const phone of written) {
    const { verdicts } = await rpc.dnc.checkOffline({ phones: [phone], region })
    if (verdicts[0]!.verdict === 'clear') clear.add(verdicts[0]!.phone!)
  }
  const check = await rpc.dnc.checkFile({
    name: 'list',
    source: { fileId: await upload(rpc, written), column: 0, headerRow: 1 },
    region,
    ...reading,
  })
  await taskEnd(rpc, check.taskId)
  const run = (await rpc.dnc.checkRuns({ limit: 1 })).items[0]!
  expect(run.counts.rows).toBe(written.length)
  const listed = Buffer.from(
    (await rpc.files.read({ fileId: run.files!.clear, offset: 0 })).base64,
    'base64',
  ).toString()
  for (const [, phone] of listed.matchAll(/"(\+\d+)"\r/g)) clear.add(phone!)

  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello!', variables: [] })
  const sendAll = async (source: Parameters<typeof rpc.templates.prepare>[0]['source']) => {
    const send = await rpc.templates.prepare({ key, channelId, subject: 'all', source, mapping: [] })
    await taskEnd(rpc, send.taskId!)
    const { taskId } = await rpc.templates.queue({ id: send.id, ...unmarked })
    if (taskId) await taskEnd(rpc, taskId)
  }
  await sendAll({
    file: {
      fileId: await upload(rpc, written),
      headerRow: 1,
      phoneColumn: 0,
      nameColumn: null,
      region,
      ...reading,
    },
  })
  for (const to of written)
    await rpc.templates
      .send({ key, channelId, to, region, contactId: null, values: [], ...unmarked })
      .catch(() => {})

  const { importId, format } = await rpc.imports.inspect({ fileId: await upload(rpc, written) })
  const choices = {
    format,
    columns: [{ to: 'phone' as const }, { to: 'name' as const }],
    defaultRegion: region,
    ...reading,
    severalNumbers: 'reject' as const,
    extensions: 'reject' as const,
    unknownNumbers: 'reject' as const,
    duplicatesInFile: 'keep-first' as const,
    duplicatesInBook: 'skip' as const,
    dncHits: 'import-marked' as const,
    badEmails: 'reject' as const,
    badTags: 'reject' as const,
    tagCommas: 'split' as const,
    extraTags: {},
  }
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  const selection = { filter: {}, exceptIds: [] }
  await sendAll({ contacts: selection })
  await rpc.contacts.push({ selection, ...unmarked })
  for await (const { counts } of await rpc.outbox.watch())
    if (counts.queued + counts.undoable + counts['in-flight'] === 0) break
  return { pushed: new Set(service.contacts), sent: new Set(service.sent.keys()), clear }
}

test('contacts no one on a list as people write it, in any spelling and on any path', async () => {
  const all = [...entries, ...nationalEntries]
  const opened = await open(
    all.map(([entry]) => entry),
    'GB',
  )
  expect(await cache(opened.rpc)).toMatchObject({ state: 'fresh', unreadable: 0, withoutCountry: 0 })
  const written = [...all.map(([, person]) => person), ...free].flatMap(spellings)
  const { pushed, sent, clear } = await contactAll(opened, written)
  expect([...pushed].sort()).toEqual([...free].sort())
  expect([...sent].sort()).toEqual([...free].sort())
  expect([...clear].sort()).toEqual([...free].sort())
})

test('does not contact anyone whom an unreadable entry may mean, until the country is chosen', async () => {
  const all = [...entries, ...nationalEntries]
  const opened = await open([...all.map(([entry]) => entry), '4.47402E+11', 'INFO'], null)
  const { rpc, choose } = opened
  // The rounded entry stands for every number of its thousand thousands.
  const rounded = ['+447401999999', '+447402499999']
  const { rows } = await rpc.dnc
    .list({ which: 'unreadable', limit: 50 })
    .then(({ items }) => ({ rows: items.map(({ phoneNumber }) => phoneNumber) }))
  expect(rows).toEqual([...new Set(nationalEntries.map(([entry]) => entry)), '4.47402E+11', 'INFO'])
  expect(await cache(rpc)).toMatchObject({ unreadable: 7, withoutCountry: 5 })
  const written = [...all.map(([, person]) => person), ...rounded, ...free].flatMap(spellings)
  const { pushed, sent, clear } = await contactAll(opened, written)
  expect([...pushed].sort()).toEqual([...free].sort())
  expect([...sent].sort()).toEqual([...free].sort())
  expect([...clear].sort()).toEqual([...free].sort())
  const verdictOf = async (phone: string) =>
    (await rpc.dnc.checkOffline({ phones: [phone], region: 'GB' })).verdicts[0]
  expect(await verdictOf('07400123459')).toMatchObject({
    verdict: 'not-known',
    phone: '+447400123459',
    reason: { key: 'phone.maybeOnDnc' },
  })
  expect(await verdictOf('+497400123459')).toMatchObject({ verdict: 'not-known' })

  await choose('GB')
  for await (const { unreadable } of await rpc.dnc.watch()) if (unreadable === 2) break
  expect(await verdictOf('07400123459')).toMatchObject({ verdict: 'blocked', source: 'dnc' })
  // Numbers that only ended alike are clear again.
  expect(await verdictOf('+497400123459')).toMatchObject({ verdict: 'clear' })
})

test('says of a contact and of a recipient that they only may be listed', async () => {
  const { rpc } = await open(['07400 123459', '+447400123450'], null)
  const phones = ['+447400123450', '+447400123459', '+447400123458']
  const fields = { region: 'GB', name: '', email: '', tags: {} }
  const contacts = []
  for (const phone of phones) contacts.push((await rpc.contacts.create({ ...fields, phone })).contact)
  expect(contacts.map(({ dnc, unsure }) => [dnc, unsure])).toEqual([
    [true, []],
    [true, ['dnc']],
    [false, []],
  ])
  expect((await rpc.contacts.get({ id: contacts[1]!.id })).dncEntry).toMatchObject({ isSure: false })

  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello!', variables: [] })
  const source = { contacts: { filter: {}, exceptIds: [] } }
  const send = await rpc.templates.prepare({ key, channelId, subject: 'all', source, mapping: [] })
  await taskEnd(rpc, send.taskId!)
  const { send: prepared, leftOut } = await rpc.templates.sendOf({ id: send.id })
  expect(prepared.counts).toMatchObject({ recipients: 3, willSend: 1, dnc: 1, held: 0, maybeListed: 1 })
  expect(leftOut.map((row) => row.leftOut)).toEqual(['dnc', 'maybe-listed'])
})

test('blocks a person by a number that a later file adds, or that they keep when another is corrected', async () => {
  const { rpc } = await open(['+12015550241'], 'US')
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello!', variables: [] })
  const listed = async () => {
    const source = { contacts: { filter: {}, exceptIds: [] } }
    const send = await rpc.templates.prepare({ key, channelId, subject: 'all', source, mapping: [] })
    await taskEnd(rpc, send.taskId!)
    return (await rpc.templates.sendOf({ id: send.id })).send.counts
  }
  const ann = { region: 'US', name: 'Ann', email: '', tags: {} }
  const { contact } = await rpc.contacts.create({ ...ann, phone: '+12015550240' })
  expect(await listed()).toMatchObject({ willSend: 1, dnc: 0 })
  const file = 'Name,Phone\nAnn,+1 201 555 0240/41\n'
  const { record } = await importFile(rpc, 'again.csv', file, { severalNumbers: 'use-first' })
  expect(record.counts).toMatchObject({ rows: 1, duplicateInBook: 1 })
  expect(await listed()).toMatchObject({ willSend: 0, dnc: 1 })
  await rpc.contacts.update({ id: contact.id, draft: { ...ann, phone: '+12015550250' } })
  expect(await listed()).toMatchObject({ willSend: 0, dnc: 1 })
})
