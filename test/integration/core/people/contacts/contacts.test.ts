import Database from 'better-sqlite3'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ContactFilter, ContactSort } from '#contract/people/contacts.ts'
import { allContacts, everyone, importFile, savedBy } from '../../../../helpers/contact-files.ts'
import type { Rpc, RunningCore } from '../../../../helpers/start-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'
import { shareSandbox, startInSandbox, startTestCore } from '../../../../helpers/test-core.ts'

/** Restarts the core on the same folder, changed `meanwhile`. */
async function restart(
  running: RunningCore,
  meanwhile: (folder: string) => void = () => {},
): Promise<RunningCore> {
  await running.stopCore()
  meanwhile(join(running.dataDir, 'connections', 'sandbox'))
  return startInSandbox({ after: running })
}

const shared = shareSandbox()
const byPhone: ContactSort = { by: 'phone', descending: false }
const phoneOf = (at: number) => `+49171${2_000_000 + at}`

const add = async (
  rpc: Rpc,
  name: string,
  phone: string,
  more: { email?: string; tags?: Record<string, string> } = {},
) => (await rpc.contacts.create({ name, phone, email: more.email ?? '', tags: more.tags ?? {} })).contact.id

const namesOf = async (rpc: Rpc, filter: ContactFilter) => {
  const { items, count } = await rpc.contacts.list({ filter, sort: byPhone, limit: 100 })
  expect(count.value).toBe(items.length)
  expect(await rpc.contacts.count({ filter })).toEqual({ value: items.length, exact: true })
  return items.map(({ name }) => name)
}

/** Tags as the wire delivers them: every key is an own property, even `__proto__`. */
const tagsOf = (json: string) => JSON.parse(json) as Record<string, string>

describe('search', () => {
  test('finds the owner of each of several whole numbers', async () => {
    const { rpc } = shared
    for (const at of [1, 2, 3]) await add(rpc, `Contact ${at}`, phoneOf(at))
    const text = `${phoneOf(1)}, 0171 ${2_000_003}`
    expect(await namesOf(rpc, { text })).toEqual(['Contact 1', 'Contact 3'])
    const list = (filter: ContactFilter) => rpc.contacts.list({ filter, sort: byPhone, limit: 10 })
    expect((await list({ text })).anyOfNumbers).toBe(2)
    expect((await list({ text: 'contact 1' })).anyOfNumbers).toBe(0)
    const preview = await rpc.contacts.preview({
      selection: { filter: { text }, exceptIds: [] },
      action: 'tag',
    })
    expect(preview.count).toBe(2)
  })

  test('links no second contact to a record of the service', async () => {
    const { rpc } = await startInSandbox({ sandbox: { contactsCount: 0 } })
    const link = (at: number) =>
      rpc.contacts.create({ name: 'Ada', phone: phoneOf(at), email: '', tags: {}, serviceId: 'theirs' })
    await link(1)
    await expect(link(2)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    expect((await rpc.contacts.summary()).total).toBe(1)
  })

  test('names the contacts of numbers as a service writes them, and says which are on hold', async () => {
    const { rpc } = shared
    await add(rpc, 'Ada', phoneOf(1))
    await add(rpc, '', phoneOf(2))
    const numbers = [`0049 171 ${2_000_001}`, 'BANK', phoneOf(2), phoneOf(3), phoneOf(1)]
    const { id } = await rpc.dnc.hold({ phone: phoneOf(3), region: 'DE', evidence: 'asked' })
    expect(await rpc.contacts.names({ numbers })).toEqual({
      names: ['Ada', null, '', null, 'Ada'],
      blocked: [null, null, null, 'hold', null],
    })
    await rpc.dnc.release({ id })
  })

  test('finds contacts added, changed or tagged a moment ago and no deleted ones', async () => {
    const { rpc } = shared
    const id = await add(rpc, 'Zebulon', phoneOf(1))
    expect(await namesOf(rpc, { text: 'zebul' })).toEqual(['Zebulon'])
    await rpc.contacts.update({ id, draft: { name: 'Quirin', phone: phoneOf(1), email: '', tags: {} } })
    expect(await namesOf(rpc, { text: 'zebul' })).toEqual([])
    expect(await namesOf(rpc, { text: 'quirin' })).toEqual(['Quirin'])
    await rpc.contacts.tag({ selection: { ids: [id] }, set: { town: 'Xanten' }, remove: [] })
    expect(await namesOf(rpc, { text: 'xanten' })).toEqual(['Quirin'])
    await rpc.contacts.delete({ selection: { ids: [id] } })
    expect(await namesOf(rpc, { text: 'xanten' })).toEqual([])
  })
})

test('tags named like built-in properties can be created, filtered, edited in bulk, exported and imported', async () => {
  const { rpc } = shared
  const tags = tagsOf('{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d"}')
  const id = await add(rpc, 'Odd', phoneOf(1), { tags })
  await add(rpc, 'Plain', phoneOf(2))
  expect(JSON.stringify((await rpc.contacts.get({ id })).contact.tags)).toBe(JSON.stringify(tags))
  for (const key of Object.keys(tags)) {
    expect(await namesOf(rpc, { tags: [{ key, value: null }] })).toEqual(['Odd'])
    expect(await namesOf(rpc, { tags: [{ key, value: tags[key]! }] })).toEqual(['Odd'])
    expect(await namesOf(rpc, { tags: [{ key, value: 'other' }] })).toEqual([])
  }
  expect(await namesOf(rpc, { tags: [{ key: 'valueOf', value: null }] })).toEqual([])
  await rpc.contacts.tag({
    selection: everyone,
    set: tagsOf('{"__proto__":"z"}'),
    remove: ['constructor'],
  })
  const [odd, plain] = await allContacts(rpc)
  expect(JSON.stringify(odd!.tags)).toBe('{"__proto__":"z","toString":"c","hasOwnProperty":"d"}')
  expect(JSON.stringify(plain!.tags)).toBe('{"__proto__":"z"}')
  expect((await rpc.contacts.tagKeys()).keys.find(({ key }) => key === '__proto__')).toMatchObject({
    count: 2,
  })
  const file = 'name,phone,tag.__proto__,tags\nNew,+491712000009,p,"{""constructor"":""q""}"\n'
  await importFile(rpc, 'odd.csv', file, { extraTags: tagsOf('{"__proto__":"r","x":"y"}') })
  const [made] = await allContacts(rpc, { text: 'new' })
  expect(JSON.stringify(made!.tags)).toBe('{"__proto__":"r","constructor":"q","x":"y"}')
})

describe('pages', () => {
  test('refuse a cursor of another list', async () => {
    const { rpc } = shared
    for (const cursor of [
      'x',
      Buffer.from('{}').toString('base64url'),
      Buffer.from('null').toString('base64url'),
    ])
      await expect(rpc.contacts.list({ filter: {}, sort: byPhone, limit: 10, cursor })).rejects.toMatchObject(
        { code: 'INVALID_INPUT' },
      )
  })
})

test('2,500 contacts at once can be selected by filter, tagged, exported, deleted and restored', async () => {
  const { rpc } = shared
  const rows = Array.from(
    { length: 2_700 },
    (_, at) => `Person ${at},${phoneOf(at)},${at < 2_500 ? 'fair' : 'shop'}`,
  )
  await importFile(rpc, 'many.csv', ['name,phone,tag.from', ...rows].join('\n'))
  const filter = { tags: [{ key: 'from', value: 'fair' }] }
  const { items } = await rpc.contacts.list({ filter, sort: byPhone, limit: 3 })
  const selection = { filter, exceptIds: items.map(({ id }) => id) }
  expect(await rpc.contacts.preview({ selection, action: 'tag' })).toMatchObject({ count: 2_497 })

  // The walk changes the value that the filter tests.
  const tagging = await rpc.contacts.tag({ selection, set: { done: 'yes' }, remove: ['from'] })
  expect(await taskEnd(rpc, tagging.taskId!)).toMatchObject({
    state: 'done',
    progress: { done: 2_497, total: 2_497 },
    counts: { changed: 2_497 },
  })
  expect(await rpc.contacts.count({ filter })).toEqual({ value: 3, exact: true })
  const done = { text: 'done=yes' }
  expect(await rpc.contacts.count({ filter: done })).toEqual({ value: 2_497, exact: true })

  const order = { selection: { filter: done, exceptIds: [] }, tagColumns: false }
  const saved = await savedBy(rpc, await rpc.contacts.export({ ...order, columns: ['name', 'phone'] }))
  const csv = saved.split('\r\n')
  expect([csv.length, csv[1], csv.at(-2)]).toEqual([
    2_499,
    `"Person 3","${phoneOf(3)}"`,
    `"Person 2499","${phoneOf(2_499)}"`,
  ])

  const deleting = await rpc.contacts.delete({ selection: { filter: done, exceptIds: [] } })
  expect(await taskEnd(rpc, deleting.taskId!)).toMatchObject({ state: 'done', counts: { deleted: 2_497 } })
  expect((await rpc.contacts.summary()).total).toBe(203)
  expect(await rpc.contacts.count({ filter: done })).toEqual({ value: 0, exact: true })
  expect(await rpc.outbox.undo({ batchId: deleting.batchId! })).toMatchObject({ undone: 2_497 })
  expect((await rpc.contacts.summary()).total).toBe(2_700)
  expect(await rpc.contacts.count({ filter: done })).toEqual({ value: 2_497, exact: true })
})

describe('undoing a deletion', () => {
  test('restores notes and everyone else, except a number reused since', async () => {
    let running = await startInSandbox()
    let { rpc } = running
    const ada = await add(rpc, 'Ada', phoneOf(1), { email: 'a@x.example', tags: { k: 'v' } })
    await rpc.contacts.setNote({ id: ada, note: 'call\r\nback, "soon"' })
    const bob = await add(rpc, 'Bob', phoneOf(2))
    const before = await rpc.contacts.get({ id: ada })
    const { batchId } = await rpc.contacts.delete({ selection: { ids: [ada, bob] } })
    await expect(rpc.contacts.get({ id: ada })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const other = await add(rpc, 'Other Bob', phoneOf(2))
    running = await restart(running)
    rpc = running.rpc
    await rpc.outbox.undo({ batchId: batchId! })
    expect(await rpc.contacts.get({ id: ada })).toEqual(before)
    expect((await rpc.contacts.get({ id: other })).contact.name).toBe('Other Bob')
    expect((await allContacts(rpc)).map(({ name }) => name)).toEqual(['Ada', 'Other Bob'])
    expect(await namesOf(rpc, { text: 'ada' })).toEqual(['Ada'])
  })
})

describe('an outdated index', () => {
  test('is rebuilt when missing or damaged', async () => {
    let running = await startInSandbox()
    await importFile(running.rpc, 'some.csv', `name,phone\n${'x'.repeat(3)} Quark,${phoneOf(1)}\n`)
    const damages = [
      (file: string) => rmSync(file),
      (file: string) => writeFileSync(file, Buffer.alloc(20_000, 'no database')),
      (file: string) => truncateSync(file, 5_000),
    ]
    for (const damage of damages) {
      running = await restart(running, (folder) => damage(join(folder, 'search.db')))
      expect(await namesOf(running.rpc, { text: 'quark' })).toEqual(['xxx Quark'])
    }
  })
})

test('offline from the start, the contacts page works, and requests for the service wait', async () => {
  const config = {
    startWith: { kind: 'unattended', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k-1' },
  } as const
  const running = await startTestCore({ config })
  const { rpc } = running
  expect(running.started.problem).toBeNull()
  const id = await add(rpc, 'Ada', phoneOf(1), { tags: { city: 'Köln' } })
  const { record } = await importFile(rpc, 'people.csv', `name,phone\nBob,${phoneOf(2)}\nNo,12\n`)
  expect(record).toMatchObject({ state: 'done', counts: { new: 1, invalid: 1 } })
  await rpc.contacts.setNote({ id, note: 'offline' })
  await rpc.contacts.update({
    id,
    draft: { name: 'Ada L', phone: phoneOf(1), email: '', tags: { city: 'Bonn' } },
  })
  await rpc.contacts.tag({ selection: everyone, set: { seen: 'yes' }, remove: [] })
  expect(await namesOf(rpc, { text: 'bonn' })).toEqual(['Ada L'])
  expect(await namesOf(rpc, { tags: [{ key: 'seen', value: 'yes' }] })).toEqual(['Ada L', 'Bob'])
  expect(await rpc.contacts.get({ id })).toMatchObject({ note: 'offline', dncEntry: null, hold: null })
  const { taskId } = await rpc.contacts.export({
    selection: everyone,
    columns: ['phone'],
    tagColumns: false,
  })
  expect((await taskEnd(rpc, taskId)).state).toBe('done')
  const { batchId } = await rpc.contacts.delete({ selection: { ids: [id] } })
  await rpc.outbox.undo({ batchId: batchId! })
  await rpc.contacts.push({ selection: { ids: [id] }, uncheckedKnowingly: true })
  await expect.poll(async () => (await rpc.contacts.get({ id })).contact.state).toBe('waiting')
  for await (const drain of await rpc.outbox.watch()) if (drain.state === 'offline') break
  // The drain retries now and then; the request is in flight for that moment.
  await expect
    .poll(() => rpc.contacts.summary())
    .toMatchObject({ total: 2, byState: { waiting: 1, local: 1 } })
  expect((await rpc.contacts.list({ filter: {}, sort: byPhone, limit: 1 })).asOf).toMatch(/^\d{4}-/)
})

describe('confirmations', () => {
  test('leave contacts alone that arrived after the question', async () => {
    const { rpc } = shared
    for (const n of [1, 2, 3]) await add(rpc, `Ada ${n}`, phoneOf(n))
    const asked = { filter: { text: 'ada' }, exceptIds: [] }
    const { count, upToId } = await rpc.contacts.preview({ selection: asked, action: 'delete' })
    await add(rpc, 'Ada the late', phoneOf(9))
    const selection = { ...asked, upToId }
    expect(await rpc.contacts.tag({ selection, set: { seen: 'yes' }, remove: [] })).toMatchObject({ count })
    expect(await namesOf(rpc, { tags: [{ key: 'seen', value: 'yes' }] })).toEqual(['Ada 1', 'Ada 2', 'Ada 3'])
    expect(await rpc.contacts.delete({ selection })).toMatchObject({ count })
    expect(await namesOf(rpc, {})).toEqual(['Ada the late'])
  })

  test('refuse a form that would overwrite another person’s change', async () => {
    const { rpc } = shared
    const id = await add(rpc, 'Ada', phoneOf(1))
    const draft = { name: 'Ada', phone: phoneOf(1), email: '', tags: {} }
    const basedOn = (await rpc.contacts.get({ id })).contact.updatedAt
    await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(Date.parse(basedOn))
    const first = await rpc.contacts.update({ id, draft: { ...draft, name: 'Ada L' }, basedOn })
    await expect(
      rpc.contacts.update({ id, draft: { ...draft, email: 'a@x.example' }, basedOn }),
    ).rejects.toMatchObject({ code: 'CONTACT_CHANGED' })
    expect((await rpc.contacts.get({ id })).contact).toEqual(first.contact)
    const again = { id, draft: { ...draft, name: 'Ada L', email: 'a@x.example' } }
    await rpc.contacts.update({ ...again, basedOn: first.contact.updatedAt })
    expect((await rpc.contacts.get({ id })).contact).toMatchObject({ name: 'Ada L', email: 'a@x.example' })
  })
})

test('allowed values are the same for forms and files: no NUL, a valid email, limited lengths', async () => {
  const { rpc } = shared
  const draft = { name: ' Ada ', phone: phoneOf(1), email: ' a@x.example ', tags: {} }
  const { contact } = await rpc.contacts.create(draft)
  expect(contact).toMatchObject({ name: 'Ada', email: 'a@x.example' })
  for (const wrong of [
    { name: 'A\0' },
    { email: 'nowhere' },
    { tags: { k: '\0' } },
    { tags: { k: 'x'.repeat(20_000) } },
  ])
    await expect(rpc.contacts.create({ ...draft, phone: phoneOf(2), ...wrong })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
  await expect(rpc.contacts.create({ ...draft, phone: '2125550101', region: null })).rejects.toMatchObject({
    code: 'PHONE_INVALID',
  })
  await expect(rpc.contacts.setNote({ id: contact.id, note: '\0' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect((await rpc.contacts.summary()).total).toBe(1)
})

test('counts contacts without a name before a push and skips them on request', async () => {
  const { rpc } = await startInSandbox()
  await add(rpc, 'Ada', phoneOf(1))
  const nameless = await add(rpc, '', phoneOf(2))
  await add(rpc, ' ', phoneOf(3))
  const preview = await rpc.contacts.preview({ selection: everyone, action: 'push' })
  expect(preview).toMatchObject({ count: 3, requests: 3, nameless: { count: 2, otherRequests: 1 } })
  const push = (ids: number[] | null, leaveOutNameless: boolean) =>
    rpc.contacts.push({
      selection: ids ? { ids } : everyone,
      uncheckedKnowingly: true,
      leaveOutNameless,
    })
  const states = async () =>
    (await allContacts(rpc)).map(({ state }) => (state === 'local' || state === 'failed' ? state : 'gone on'))
  await push(null, true)
  for await (const _ of await rpc.contacts.watch()) if ((await states())[0] === 'gone on') break
  expect(await states()).toEqual(['gone on', 'local', 'local'])
  // The service refuses one that is sent anyway.
  await push([nameless], false)
  for await (const _ of await rpc.contacts.watch()) if ((await states())[1] === 'failed') break
  expect(await states()).toEqual(['gone on', 'failed', 'local'])
})

test('counts and shows contacts with unreadable tags, finds them by other fields and never pushes them', async () => {
  let running = await startInSandbox()
  const ids = [
    await add(running.rpc, 'Ada', phoneOf(1), { tags: { city: 'Köln' } }),
    await add(running.rpc, 'Bea', phoneOf(2), { tags: { city: 'Bonn' } }),
    await add(running.rpc, 'Cem', phoneOf(3), { tags: { city: 'Jena' } }),
  ]
  running = await restart(running, (folder) => {
    const contactsDb = new Database(join(folder, 'contacts.db'))
    contactsDb.prepare(`UPDATE tag_sets SET json = '{"city":' WHERE json LIKE '%Bonn%'`).run()
    contactsDb.prepare(`UPDATE tag_sets SET json = '{"city":5}' WHERE json LIKE '%Jena%'`).run()
    contactsDb.close()
    rmSync(join(folder, 'search.db'))
  })
  const { rpc } = running
  await expect.poll(() => namesOf(rpc, { text: 'be' })).toEqual(['Bea'])
  expect(await namesOf(rpc, { tags: [{ key: 'city', value: null }] })).toEqual(['Ada'])
  expect((await rpc.contacts.tagKeys()).keys).toMatchObject([{ key: 'city', count: 1 }])
  expect((await rpc.contacts.get({ id: ids[1]! })).contact).toMatchObject({ tags: {}, tagsUnreadable: true })
  expect((await rpc.contacts.preview({ selection: everyone, action: 'push' })).leftOut).toEqual({
    'tags-unreadable': 2,
  })
  // Exactly as stored, so that they can be repaired.
  const order = { selection: everyone, tagColumns: false }
  const saved = await savedBy(rpc, await rpc.contacts.export({ ...order, columns: ['name', 'tags'] }))
  expect(saved).toContain('"Bea","{""city"":"')
  // An edit replaces its tags.
  const draft = { name: 'Bea', phone: phoneOf(2), email: '', tags: { city: 'Bonn' } }
  await rpc.contacts.update({ id: ids[1]!, draft })
  await rpc.contacts.tag({ selection: { ids: [ids[2]!] }, set: { city: 'Jena' }, remove: [] })
  for (const id of [ids[1]!, ids[2]!])
    expect((await rpc.contacts.get({ id })).contact.tagsUnreadable).toBe(false)
})
