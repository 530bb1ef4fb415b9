import { readFileSync } from 'node:fs'
import { MessageChannel } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { SearchFeed, SearchFunctions } from '#electron/jobs/contact-store/protocol.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { connectCalls } from '#electron/threads/calls.ts'
import { startThread } from '#electron/threads/own-thread.ts'
import { openContacts } from '../../../helpers/open-contacts.ts'
import { openIndex, settle } from './index-fixture.ts'

test('has exactly the contacts with a text, through any changes, merges and restarts', () => {
  const random = seededRandom(3)
  const roll = (below: number) => Math.floor(random() * below)
  const { start, add, rename, remove, write, candidates, holders, names, indexed } = openIndex()
  const syllables = ['an', 'na', 'jo', 'é', 'lu', 'ca', 'жу', 'k', '😀']
  const name = () => Array.from({ length: 1 + roll(5) }, () => syllables[roll(syllables.length)]!).join('')
  let index = start()
  for (let round = 0; round < 120; round++) {
    write(() => {
      for (let times = roll(200); times >= 0; times--) {
        const known = [...names.keys()]
        const id = known[roll(known.length)]
        const act = roll(4)
        if (id === undefined || act < 2) add(name())
        else if (act === 2) rename(id, name())
        else remove(id)
      }
    })
    const isIndexed = roll(4) > 0
    if (isIndexed) while (index.step()) continue
    if (roll(3) === 0) index.tidy()
    if (roll(20) === 0) index = start()
    for (let tries = 0; tries < 5; tries++) {
      const text = [...name()].slice(0, 1 + roll(6)).join('')
      const { ids, complete } = candidates(text)
      expect(complete).toBe(true)
      expect([...holders(text)].filter((id) => !ids.has(id))).toEqual([])
    }
  }
  settle(index)
  for (const syllable of ['lu', 'жу', 'jo']) {
    const text = syllable + syllable
    // Letters such as é fold to others.
    expect(candidates(text)).toEqual({ ids: new Set(holders(text)), complete: true })
  }
  expect(indexed()).toBe(names.size)
})

test('leaves nothing of deleted contacts in the file once it is cleared', () => {
  const { start, add, remove, write, searchDb, candidates, indexed } = openIndex()
  const index = start()
  write(() => {
    for (let at = 0; at < 20_000; at++) add(`zebra ${at}`)
  })
  const id = write(() => add('Quortz'))
  settle(index)
  const isStored = () => {
    searchDb.pragma('wal_checkpoint(TRUNCATE)')
    return readFileSync(searchDb.name).includes('uor')
  }
  expect([index.hasDeleted(), isStored()]).toEqual([false, true])
  write(() => remove(id))
  settle(index)
  expect(index.hasDeleted()).toBe(true)
  // Also when a merge was under way, or it starts again.
  index.clear()
  start().clear()
  settle(start())
  const again = start()
  expect(again.hasDeleted()).toBe(true)
  again.clear()
  settle(again)
  expect([again.hasDeleted(), isStored(), indexed()]).toEqual([false, false, 20_000])
  expect(candidates('zebra').ids.size).toBe(20_000)
})

test('finds contacts with unreadable tags by their other fields', () => {
  const { start, add, tag, tagSet, putTags, write, candidates, indexed } = openIndex()
  const index = start()
  const ids: number[] = []
  putTags(tagSet, '{"broken')
  write(() => {
    for (let at = 0; at < 3_000; at++) ids.push(add(`zebra ${at}`))
    for (const at of [500, 700, 2_900]) tag(ids[at]!, at === 700 ? 1 : tagSet)
  })
  settle(index)
  expect(candidates('zebra').ids).toEqual(new Set(ids))
  expect(candidates('broken').ids.size).toBe(0)
  expect(indexed()).toBe(3_000)
  // Once they are readable, changes are found by them.
  putTags(tagSet, '{"whole":"again"}')
  write(() => tag(ids[500]!, tagSet))
  settle(index)
  expect(candidates('whole=again').ids).toContain(ids[500])
})

test('answers others while an import waits for an index far behind', async () => {
  const { open, contactsDb, write, insert } = openContacts()
  const {
    calls: core,
    hand,
    end,
  } = startThread<SearchFunctions, object>('search-thread', {}, { name: 'search' })
  onTestFinished(end)
  const { port1, port2 } = new MessageChannel()
  hand({ port: port2 })
  const { calls: feed } = connectCalls<SearchFeed>(port1, {})
  onTestFinished(() => port1.close())
  const searchDb = open('search')
  expect(await core.open({ contactsFile: contactsDb.name, searchFile: searchDb.name })).toEqual([])
  write(() => {
    for (let at = 0; at < 30_000; at++) insert({ digits: 491_510_000_000 + at, name: 'zebra' })
  })
  let isComplete = false
  const completing = feed.complete().then(() => (isComplete = true))
  let answered = 0
  for (; !isComplete; answered++) expect(await core.count({})).toBe(30_000)
  expect(answered).toBeGreaterThan(4)
  await completing
  expect(searchDb.prepare('SELECT last_id FROM progress').pluck().get()).toBe(30_000)
  expect(await core.count({ text: 'zebra' })).toBe(30_000)
  await core.close()
})
