import { expect, test } from 'vitest'
import { confirmSend, dryRun, peopleIn, sendTo } from '../../../../helpers/bulk-sends.ts'
import { everyone, importFile, textOf, upload } from '../../../../helpers/contact-files.ts'
import { checkList } from '../../../../helpers/dnc.ts'
import { openAtOttService } from '../../../../helpers/ott-service.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { outboxOver, taskEnd } from '../../../../helpers/wait-for.ts'

const unmarked = { uncheckedKnowingly: true }
const hello = { name: 'Hello', body: 'Hello!', variables: [] }

/** Entries of a list as people write it, one of each kind of reading, and the person whom each means. The last ones need the country. */
const entries = [
  ['+44 (0)7400 123456', '+447400123456'],
  ['447400123457.0', '+447400123457'],
  ['447400123458', '+447400123458'],
  ['whatsapp:+12015550132', '+12015550132'],
  ['4.47400123463E+11', '+447400123463'],
  ['+44 7400 123465 / +44 7400 123466', '+447400123465'],
  ['+44 7400 123465 / +44 7400 123466', '+447400123466'],
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

/** A number as it may be written in Great Britain: as it is, and in two of the other ways by turns. */
function spellings(phone: string, turn: number): string[] {
  const digits = phone.slice(1)
  const national = phone.slice(3)
  const others = [
    ...[`00${digits}`, digits, `tel:${phone}`, `${digits}.0`, `${phone.slice(0, 5)} ${phone.slice(5)}`],
    ...(phone.startsWith('+44')
      ? [`0${national}`, national, `+44 (0)${national}`, `(0)${national}`, `44 (0)${national}`]
      : []),
  ]
  return [phone, others[turn % others.length]!, others[(turn + 3) % others.length]!]
}

const cache = async (rpc: Rpc) => (await rpc.dnc.list({ which: 'all', limit: 1 })).cache

/** Contacts everyone in every way, and returns which numbers reached the service, or were called clear. */
async function contactAll(
  { service, rpc }: Awaited<ReturnType<typeof openAtOttService>>,
  written: readonly string[],
): Promise<Record<'pushed' | 'sent' | 'clear', string[]>> {
  const region = 'GB'
  const { verdicts } = await rpc.dnc.checkOffline({ phones: [...written], region })
  const clear = verdicts.flatMap(({ verdict, phone }) => (verdict === 'clear' ? phone! : []))
  const table = ['Name;Phone', ...written.map((phone) => `Person;"${phone}"`)].join('\n')
  const fileId = await upload(rpc, 'list.csv', table)
  const { counts, files } = await checkList(rpc, { source: { fileId, column: 1, headerRow: 1 }, region })
  expect(counts.rows).toBe(written.length)
  for (const [, phone] of (await textOf(rpc, files!.clear)).matchAll(/"(\+\d+)"\r/g)) clear.push(phone!)

  const { key } = await rpc.templates.create(hello)
  const sendAll = async (source: Parameters<typeof dryRun>[1]['source']) => {
    const { id } = await dryRun(rpc, { key, source })
    const { taskId } = await confirmSend(rpc, id, unmarked)
    if (taskId) await taskEnd(rpc, taskId)
  }
  await sendAll(peopleIn(fileId, { region }))
  for (const to of written) await sendTo(rpc, { key, to, region, ...unmarked }).catch(() => {})
  await importFile(rpc, 'list.csv', table, { defaultRegion: region })
  await sendAll({ contacts: everyone })
  await rpc.contacts.push({ selection: everyone, ...unmarked })
  await outboxOver(rpc)
  const [pushed, sent] = [service.contacts, service.sent.keys()]
  const told = (numbers: Iterable<string>) => [...new Set(numbers)].sort()
  return { pushed: told(pushed), sent: told(sent), clear: told(clear) }
}
const onlyFree = { pushed: [...free].sort(), sent: [...free].sort(), clear: [...free].sort() }

test('contacts no one on a list as people write it, in any spelling and on any path', async () => {
  const all = [...entries, ...nationalEntries]
  const opened = await openAtOttService({ dnc: all.map(([entry]) => entry), country: 'GB', speed: 20 })
  expect(await cache(opened.rpc)).toMatchObject({ state: 'fresh', unreadable: 0, withoutCountry: 0 })
  const written = [...all.map(([, person]) => person), ...free].flatMap(spellings)
  expect(await contactAll(opened, written)).toEqual(onlyFree)
})

test('does not contact anyone whom an unreadable entry may mean, until the country is chosen', async () => {
  const all = [...entries, ...nationalEntries]
  const dnc = [...all.map(([entry]) => entry), '4.47402E+11', 'INFO']
  const opened = await openAtOttService({ dnc, speed: 20 })
  const { rpc, connection } = opened
  // The rounded entry stands for every number of its thousand thousands.
  const rounded = ['+447401999999', '+447402499999']
  const unreadable = (await rpc.dnc.list({ which: 'unreadable', limit: 50 })).items
  expect(unreadable.map(({ phoneNumber }) => phoneNumber)).toEqual([
    ...new Set(nationalEntries.map(([entry]) => entry)),
    '4.47402E+11',
    'INFO',
  ])
  expect(await cache(rpc)).toMatchObject({ unreadable: 7, withoutCountry: 5 })
  const written = [...all.map(([, person]) => person), ...rounded, ...free].flatMap(spellings)
  expect(await contactAll(opened, written)).toEqual(onlyFree)
  const verdictOf = async (phone: string) =>
    (await rpc.dnc.checkOffline({ phones: [phone], region: 'GB' })).verdicts[0]
  expect(await verdictOf('07400123459')).toMatchObject({
    verdict: 'not-known',
    phone: '+447400123459',
    reason: { key: 'phone.maybeOnDnc' },
  })
  expect(await verdictOf('+497400123459')).toMatchObject({ verdict: 'not-known' })
  const asWritten = await rpc.dnc.checkOffline({ phones: ['07400 123459', '12'], region: 'US' })
  expect(asWritten.verdicts).toMatchObject([
    { verdict: 'not-known', phone: null, source: 'dnc', reason: { key: 'dnc.maybeOnDnc' } },
    { verdict: 'unparsable', phone: null },
  ])

  await rpc.connections.update({ ...connection, country: 'GB' })
  for await (const copy of await rpc.dnc.watch()) if (copy.unreadable === 2) break
  expect(await verdictOf('07400123459')).toMatchObject({ verdict: 'blocked', source: 'dnc' })
  // Numbers that only ended alike are clear again.
  expect(await verdictOf('+497400123459')).toMatchObject({ verdict: 'clear' })
})

test('says of a contact and of a recipient that they only may be listed', async () => {
  const { rpc } = await openAtOttService({ dnc: ['07400 123459', '+447400123450'] })
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

  const { key } = await rpc.templates.create(hello)
  const { send, leftOut } = await dryRun(rpc, { key, source: { contacts: everyone } })
  expect(send.counts).toMatchObject({ recipients: 3, willSend: 1, dnc: 1, held: 0, maybeListed: 1 })
  expect(leftOut.map((row) => row.leftOut)).toEqual(['dnc', 'maybe-listed'])
})

test('blocks a person by a number that a later file adds, or that they keep when another is corrected', async () => {
  const { rpc } = await openAtOttService({ dnc: ['+12015550241'], country: 'US' })
  const { key } = await rpc.templates.create(hello)
  const listed = async () => (await dryRun(rpc, { key, source: { contacts: everyone } })).send.counts
  const ann = { region: 'US', name: 'Ann', email: '', tags: {} }
  const { contact } = await rpc.contacts.create({ ...ann, phone: '+12015550240' })
  expect(await listed()).toMatchObject({ willSend: 1, dnc: 0 })
  const file = 'Name,Phone\nAnn,+1 201 555 0240/41\n'
  const { record } = await importFile(rpc, 'again.csv', file, { severalNumbers: 'use-first' })
  expect(record.counts).toMatchObject({ rows: 1, duplicateInContacts: 1 })
  expect(await listed()).toMatchObject({ willSend: 0, dnc: 1 })
  await rpc.contacts.update({ id: contact.id, draft: { ...ann, phone: '+12015550250' } })
  expect(await listed()).toMatchObject({ willSend: 0, dnc: 1 })
})
