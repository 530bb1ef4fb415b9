import { expect, test } from 'vitest'
import { allContacts, importFile } from '../../../../helpers/contact-files.ts'
import { shareSandbox } from '../../../../helpers/test-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const shared = shareSandbox()

const people = (names: string[]) =>
  ['name,phone', ...names.map((name, at) => `${name},+1415555010${at}`)].join('\n')

test('keeps contacts that were edited since the import and counts them', async () => {
  const { rpc } = shared
  const { importId } = await importFile(
    rpc,
    'people.csv',
    people(['Renamed', 'Noted', 'Tagged', 'Held', 'Plain', 'Deleted and back']),
  )
  const [renamed, noted, tagged, held, , back] = await allContacts(rpc)
  const draft = { name: 'New name', phone: renamed!.phone, email: '', tags: {} }
  await rpc.contacts.update({ id: renamed!.id, draft })
  await rpc.contacts.setNote({ id: noted!.id, note: 'Called on Monday' })
  await rpc.contacts.tag({ selection: { ids: [tagged!.id] }, set: { city: 'Kiel' }, remove: [] })
  await rpc.dnc.hold({ phone: held!.phone, region: 'US', evidence: 'asked on the phone' })
  const { batchId } = await rpc.contacts.delete({ selection: { ids: [back!.id] } })
  await rpc.outbox.undo({ batchId: batchId! })

  const undo = await taskEnd(rpc, (await rpc.imports.undo({ importId })).taskId)
  expect(undo).toMatchObject({
    state: 'done',
    progress: { done: 6, total: 6 },
    counts: { removed: 3, restored: 0, left: 3 },
  })
  expect((await allContacts(rpc)).map(({ name }) => name)).toEqual(['New name', 'Noted', 'Tagged'])
  expect(await rpc.imports.get({ importId })).toMatchObject({
    undoNote: { key: 'undo.kept', removed: 3, restored: 0, left: 3, there: 0, changed: 3 },
    keptAny: true,
  })
  // Contacts kept by the undo stay linked to their import until they are deleted.
  const kept = { filter: { importId }, exceptIds: [] }
  expect(await rpc.contacts.count({ filter: { importId } })).toEqual({ value: 3, exact: true })
  await rpc.contacts.delete({ selection: kept })
  expect((await rpc.imports.get({ importId })).keptAny).toBe(false)
})

test('restores everything when two imports are undone in reverse order', async () => {
  const { rpc } = shared
  const first = await importFile(rpc, 'first.csv', people(['Ada', 'Grace']))
  const before = await allContacts(rpc)
  const second = await importFile(rpc, 'second.csv', people(['Ada L.', 'Grace H.']), {
    duplicatesInContacts: 'update',
  })
  expect(second.record.counts).toMatchObject({ update: 2 })
  const later = await taskEnd(rpc, (await rpc.imports.undo({ importId: second.importId })).taskId)
  expect(later).toMatchObject({
    progress: { done: 2, total: 2 },
    counts: { removed: 0, restored: 2, left: 0 },
  })
  expect(await allContacts(rpc)).toEqual(before)
  const earlier = await taskEnd(rpc, (await rpc.imports.undo({ importId: first.importId })).taskId)
  expect(earlier.counts).toMatchObject({ removed: 2, restored: 0, left: 0 })
  expect(await allContacts(rpc)).toEqual([])
})

test('keeps contacts that a later import changed', async () => {
  const { rpc } = shared
  const first = await importFile(rpc, 'first.csv', people(['Ada', 'Grace']))
  const second = await importFile(rpc, 'second.csv', people(['Ada L.']), { duplicatesInContacts: 'update' })
  const undo = await taskEnd(rpc, (await rpc.imports.undo({ importId: first.importId })).taskId)
  expect(undo.counts).toMatchObject({ removed: 1, left: 1 })
  const [ada] = await allContacts(rpc)
  expect(ada!.name).toBe('Ada L.')
  await rpc.contacts.update({
    id: ada!.id,
    draft: { name: 'Ada K.', phone: ada!.phone, email: '', tags: {} },
  })
  const later = await taskEnd(rpc, (await rpc.imports.undo({ importId: second.importId })).taskId)
  expect(later.counts).toMatchObject({ restored: 0, left: 1 })
  expect((await allContacts(rpc)).map(({ name }) => name)).toEqual(['Ada K.'])
})

test('filters contacts by the import that added or changed them, until it is undone', async () => {
  const { rpc } = shared
  await importFile(rpc, 'first.csv', people(['Ada', 'Grace']))
  const second = await importFile(rpc, 'second.csv', people(['Ada L.', 'Grace', 'Mary']), {
    duplicatesInContacts: 'update',
  })
  expect(second.record.counts).toMatchObject({ update: 1, new: 1 })
  const filter = { importId: second.importId }
  const namesOf = async () => {
    const sort = { by: 'name', descending: false } as const
    const page = await rpc.contacts.list({ filter, sort, limit: 10 })
    expect(await rpc.contacts.count({ filter })).toEqual({ value: page.items.length, exact: true })
    return page.items.map(({ name }) => name)
  }
  expect(await namesOf()).toEqual(['Ada L.', 'Mary'])
  await taskEnd(rpc, (await rpc.imports.undo({ importId: second.importId })).taskId)
  expect(await namesOf()).toEqual([])
})

test('adds up the counts of a cancelled undo and its second run', async () => {
  const { rpc } = shared
  const rows = 20_000
  const lines = Array.from({ length: rows }, (_, at) => `Person ${at},+${4_917_120_000_000 + at}`)
  const { importId } = await importFile(rpc, 'many.csv', ['name,phone', ...lines].join('\n'))
  const ends = await Promise.all(
    [true, false].map((descending) =>
      rpc.contacts.list({ filter: {}, sort: { by: 'phone', descending }, limit: 3 }),
    ),
  )
  for (const { id } of ends.flatMap(({ items }) => items))
    await rpc.contacts.setNote({ id, note: 'Called on Monday' })

  const connection = { id: 'sandbox', name: 'Live', colour: 'red', production: true } as const
  await rpc.connections.update(connection)
  await expect(rpc.imports.undo({ importId })).rejects.toMatchObject({ code: 'CONFIRMATION_MISMATCH' })
  const { taskId } = await rpc.imports.undo({ importId, confirmName: 'Live' })
  await rpc.connections.update({ ...connection, production: false })
  const removed = async () => (await rpc.tasks.get({ id: taskId })).counts['removed'] ?? 0
  await expect.poll(removed, { interval: 1 }).toBeGreaterThan(0)
  await rpc.tasks.cancel({ id: taskId })
  const first = await taskEnd(rpc, taskId)
  expect(first).toMatchObject({ state: 'cancelled', counts: { left: 3 } })
  expect(first.counts['removed']).toBeLessThan(rows - 6)

  const second = await taskEnd(rpc, (await rpc.imports.undo({ importId })).taskId)
  expect(second).toMatchObject({
    state: 'done',
    progress: { done: rows, total: rows },
    counts: { removed: rows - 6, restored: 0, left: 6 },
  })
  expect((await rpc.imports.get({ importId })).undoNote).toMatchObject({
    key: 'undo.kept',
    removed: rows - 6,
    left: 6,
  })
})

test('counts contacts kept because they are on the service apart from those edited since', async () => {
  const { rpc } = shared
  const { importId } = await importFile(rpc, 'people.csv', people(['Pushed', 'Noted', 'Plain']))
  const [noted, , pushed] = await allContacts(rpc)
  await rpc.contacts.setNote({ id: noted!.id, note: 'Called on Monday' })
  await rpc.contacts.push({ selection: { ids: [pushed!.id] }, uncheckedKnowingly: true })
  const state = async () => (await rpc.contacts.get({ id: pushed!.id })).contact.state
  await expect.poll(state).not.toBe('local')
  await taskEnd(rpc, (await rpc.imports.undo({ importId })).taskId)
  expect(await rpc.imports.get({ importId })).toMatchObject({
    state: 'undone',
    canUndo: false,
    undoNote: { key: 'undo.kept', removed: 1, restored: 0, left: 2, there: 1, changed: 1 },
  })
  await expect(rpc.imports.undo({ importId })).rejects.toMatchObject({ code: 'IMPORT_NOT_POSSIBLE' })
})
