import { createBirpc } from 'birpc'
import { MessageChannel, Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { SearchFeed, SearchFunctions } from '#electron/jobs/contact-store/protocol.ts'
import { entryUrl } from '#electron/lib/entry-url.ts'
import { openContacts } from '../../../helpers/open-contacts.ts'
import { openIndex, rows, settle } from './index-fixture.ts'

test('finds an import’s rows when it ends, with other changes in between, and after a failed import', () => {
  const { start, add, write, candidates } = openIndex()
  const index = start()
  index.beginRows()
  index.addRows(1, rows(1, 60_000))
  index.endRows(false)
  const id = write(() => add('heron'))
  settle(index)
  expect(candidates('heron').ids).toContain(id)
  index.beginRows()
  const other = write(() => add('otter'))
  index.addRows(other + 1, rows(other + 1, 60_000))
  index.addRows(other + 60_001, rows(other + 60_001, 10))
  index.endRows(true)
  expect(candidates('otter').ids).toContain(other)
  expect(candidates(`gnu ${other + 60_010}`).ids).toContain(other + 60_010)
  expect(candidates(`gnu ${other + 30_000}`).ids).toContain(other + 30_000)
})

test('discards what killed or failed imports left', () => {
  const { start, add, write, candidates, indexed, outdated } = openIndex()
  let index = start()
  write(() => {
    for (let at = 0; at < 100; at++) add(`zebra ${at}`)
  })
  settle(index)
  for (let kills = 1; kills <= 3; kills++) {
    index.beginRows()
    index.addRows(101, rows(101, 60_000))
    expect(outdated()).toBe(kills * 50_000)
    index = start()
  }
  index.beginRows()
  index.addRows(101, rows(101, 60_000))
  index.endRows(false)
  expect(outdated()).toBe(200_000)
  expect(indexed()).toBe(200_100)
  settle(index)
  expect(outdated()).toBe(0)
  expect(indexed()).toBe(100)
  expect(candidates('gnu').ids.size).toBe(0)
  expect(candidates('zebra').ids.size).toBe(100)

  // This was never committed.
  index.beginRows()
  index.addRows(101, rows(101, 60_000))
  index.endRows(true)
  expect(outdated()).toBe(0)
  expect(indexed()).toBe(60_100)
})

test('indexes missing contacts in segments when an import finds the index far behind', () => {
  const { searchDb, start, add, write, candidates, indexed, segments } = openIndex()
  const index = start()
  index.beginRows()
  write(() => {
    for (let at = 0; at < 70_000; at++) add('zebra')
  })
  index.addRows(70_001, rows(70_001, 31_000))
  index.endRows(true)
  const largest = searchDb.prepare<[], number>('SELECT max(contacts) FROM segments').pluck()
  expect(largest.get()).toBe(50_000)
  expect(segments()).toBe(3)
  expect(indexed()).toBe(101_000)
  expect(candidates('zebra').ids.size).toBe(70_000)
  expect(candidates('gnu').ids.size).toBe(31_000)
})

test('answers others while an import with an index far behind passes on its rows', async () => {
  const { open, contactsDb, write, insert } = openContacts()
  const worker = new Worker(entryUrl('search-thread'))
  onTestFinished(async () => void (await worker.terminate()))
  const { port1, port2 } = new MessageChannel()
  worker.postMessage(port2, [port2])
  const core = createBirpc<SearchFunctions, object>(
    {},
    { post: (data) => worker.postMessage(data), on: (receive) => void worker.on('message', receive) },
  )
  const feed = createBirpc<SearchFeed, object>(
    {},
    {
      post: (data) => port1.postMessage(data),
      on: (receive) => void port1.on('message', receive),
      timeout: -1,
    },
  )
  onTestFinished(() => port1.close())
  const files = { contactsFile: contactsDb.name, searchFile: open('search').name }
  expect(await core.open(files)).toEqual({ ok: true, value: [] })
  await feed.beginRows()
  write(() => {
    for (let at = 0; at < 60_000; at++) insert({ digits: 491_510_000_000 + at, name: 'zebra' })
  })
  let isTaken = false
  const taking = feed.addRows(60_001, rows(60_001, 10)).then(() => (isTaken = true))
  // Passed on later, so it cannot be done yet.
  const settling = feed.settle(false).then(() => expect(isTaken).toBe(true))
  let answered = 0
  for (; !isTaken; answered++) expect(await core.count({})).toEqual({ ok: true, value: 60_000 })
  expect(answered).toBeGreaterThan(4)
  await Promise.all([taking, settling])
  expect(await core.count({ text: 'zebra' })).toEqual({ ok: true, value: 60_000 })
  await core.close()
})

test('indexes rows once that it read before the import passed them on', () => {
  const { start, add, write, candidates, indexed } = openIndex()
  const index = start()
  write(() => {
    for (let at = 1; at <= 10; at++) add(`gnu ${at}`)
  })
  settle(index)
  index.beginRows()
  index.addRows(1, rows(1, 20))
  index.addRows(21, rows(21, 5))
  index.endRows(true)
  expect(indexed()).toBe(25)
  expect(candidates('gnu').ids.size).toBe(25)
})
