import { createBirpc } from 'birpc'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '#electron/database/open.ts'
import { createBookTables } from '#electron/jobs/book/book-tables.ts'
import { createIndexCandidates } from '#electron/jobs/book/index-candidates.ts'
import { createRowPacker } from '#electron/jobs/book/packed-rows.ts'
import type { SearchFeed, SearchFunctions } from '#electron/jobs/book/protocol.ts'
import { createPostingsBuilder, unpackIds } from '#electron/jobs/book/postings.ts'
import { createSearchIndex } from '#electron/jobs/book/search-index.ts'
import { createSegments, firstPosting } from '#electron/jobs/book/segments.ts'
import { trigramsWithin } from '#electron/jobs/book/trigrams.ts'
import { entryUrl } from '#electron/lib/entry-url.ts'
import { fold } from '#electron/lib/fold.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { openBook, someContact } from '../../helpers/open-book.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

/** A book and its index, or that of another one; `names` are its contacts by id. */
function openBoth({ open, book, tables } = openBook(), searchDb = open('search')) {
  const start = () => createSearchIndex(book, searchDb)
  const asked = createIndexCandidates(book, searchDb)
  const names = new Map<number, string>()
  let numbers = 491_510_000_000
  const write = (work: () => void) => tables.write(work, () => true)
  const contact = (digits: number, name: string) => ({
    ...someContact,
    digits,
    name,
    touched: tables.nextTouched(),
  })
  return {
    searchDb,
    start,
    add(name: string): number {
      const id = tables.insert({ ...contact(numbers++, name), id: null })
      names.set(id, name)
      return id
    },
    rename(id: number, name: string): void {
      tables.put({ ...tables.whole(id)!, name, touched: tables.nextTouched() }, true)
      names.set(id, name)
    },
    remove(id: number): void {
      tables.remove(id)
      names.delete(id)
    },
    write,
    tagSet: tables.tagSetOf('{"of":"a test"}'),
    /** What is stored of a set of tags, whether it can be read or not. */
    putTags: (set: number, json: string) =>
      void book.prepare('UPDATE tag_sets SET json = ? WHERE id = ?').run(json, set),
    tag(id: number, tagSet: number): void {
      tables.put({ ...tables.whole(id)!, tagSet, touched: tables.nextTouched() }, true)
    },
    /** Contacts in all segments, one that is in several as often. */
    indexed: () => searchDb.prepare<[], number>('SELECT sum(contacts) FROM segments').pluck().get() ?? 0,
    outdated: () => searchDb.prepare<[], number>('SELECT outdated FROM progress').pluck().get()!,
    segments: () => searchDb.prepare<[], number>('SELECT count(*) FROM segments').pluck().get()!,
    candidates: (typed: string) => {
      const text = fold(typed)
      const { ids, complete } = asked(text, 1_000_000)
      return { ids: new Set(ids), complete }
    },
    holders: (text: string) => [...names].filter(([, name]) => name.includes(text)).map(([id]) => id),
    names,
  }
}

/** Rows of new contacts as an import hands them over, with the ids they will have. */
function rows(firstId: number, count: number) {
  const packer = createRowPacker(count)
  for (let at = 0; at < count; at++)
    packer.add({
      digits: 331_000_000_000 + firstId + at,
      id: firstId + at,
      marks: 0,
      name: `gnu ${firstId + at}`,
      email: '',
      note: '',
      tagsJson: '{}',
    })
  return packer.take()
}

function settle(index: ReturnType<typeof createSearchIndex>): void {
  while (index.step()) continue
  while (index.tidy()) continue
}

test('none that holds a text is ever missed, whatever comes, changes and goes, over restarts', () => {
  const random = seededRandom(3)
  const roll = (below: number) => Math.floor(random() * below)
  const { start, add, rename, remove, write, candidates, holders, names, segments } = openBoth()
  const syllables = ['an', 'na', 'jo', 'é', 'lu', 'ca', 'жу', 'k']
  const name = () => Array.from({ length: 1 + roll(5) }, () => syllables[roll(syllables.length)]!).join('')
  let index = start()
  for (let round = 0; round < 120; round++) {
    write(() => {
      for (let times = roll(60); times >= 0; times--) {
        const known = [...names.keys()]
        const id = known[roll(known.length)]
        const act = roll(4)
        if (id === undefined || act < 2) add(name())
        else if (act === 2) rename(id, name())
        else remove(id)
      }
    })
    if (roll(4) > 0) while (index.step()) continue
    if (roll(3) === 0) index.tidy()
    if (roll(20) === 0) index = start()
    for (let tries = 0; tries < 5; tries++) {
      const text = name().slice(0, 1 + roll(6))
      const { ids, complete } = candidates(text)
      expect(complete).toBe(true)
      expect([...holders(text)].filter((id) => !ids.has(id))).toEqual([])
    }
  }
  expect(segments()).toBeLessThan(60)
})

test('many changes one by one do not make searches slow: their segments are merged', () => {
  const { start, add, write, candidates, segments } = openBoth()
  const index = start()
  for (let at = 0; at < 300; at++) {
    write(() => void add(`zebra ${at}`))
    settle(index)
  }
  expect(segments()).toBeLessThan(25)
  expect(candidates('zebra').ids.size).toBe(300)
})

test('lots of thousands become segments of up to 50,000, piece by piece and over restarts, and are read meanwhile', () => {
  const search = openBook().open('search')
  const builder = createPostingsBuilder()
  const listed = search.prepare<[], { id: number; contacts: number }>('SELECT id, contacts FROM segments')
  const listOf = search.prepare<[number], Buffer>('SELECT ids FROM postings WHERE id = ?').pluck()
  const random = seededRandom(7)
  const texts = [...new Set(Array.from({ length: 700 }, () => random().toString(36).slice(2, 5)))]
  let segments = createSegments(search)
  let lastId = 0
  const lot = (contacts: number) => {
    for (let at = 0; at < contacts; at++) builder.add(++lastId, texts[lastId % texts.length]!)
    search.transaction(() => segments.add(builder)).immediate()
  }
  /** Ids that the segments have for a text, in order; one that is listed twice comes twice. */
  const idsOf = (text: string) =>
    listed
      .all()
      .flatMap(({ id }) => {
        const list = listOf.get(firstPosting(id) + trigramsWithin(text)[0]!)
        const into = new Int32Array(list?.length ?? 0)
        return [...into.subarray(0, list ? unpackIds(list, into) : 0)]
      })
      .sort((a, b) => a - b)
  const some = [texts[0]!, texts[350]!]
  const check = () => {
    for (const text of some) {
      const expected = Array.from({ length: lastId }, (_, at) => at + 1).filter(
        (id) => texts[id % texts.length] === text,
      )
      expect(idsOf(text).join()).toBe(expected.join())
    }
  }

  let pieces = 0
  for (let lots = 1; lots <= 40; lots++) {
    lot(5_000)
    // Others come while one is being made, and one that does not come to its end leaves something.
    let more = segments.merge()
    if (lots % 3 === 0)
      for (; more; pieces++) {
        check()
        more = segments.merge()
      }
    if (lots % 8 === 2) segments = createSegments(search)
  }
  while (segments.merge()) pieces++
  check()
  expect(pieces).toBeGreaterThan(15)
  const sizes = listed.all().map(({ contacts }) => contacts)
  expect(sizes.reduce((sum, contacts) => sum + contacts)).toBe(200_000)
  expect(sizes.length).toBeLessThan(13)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(50_000)
  const unread = search.prepare(
    `SELECT count(*) FROM postings WHERE id / ${firstPosting(1)} NOT IN (SELECT id FROM segments)`,
  )
  expect(unread.pluck().get()).toBe(0)

  // Of those that are larger, as many as fit.
  for (let lots = 0; lots < 6; lots++) lot(20_000)
  while (segments.merge()) continue
  const larger = listed.all().filter(({ contacts }) => contacts === 20_000)
  expect(larger.length).toBeLessThan(3)
  check()
})

test('an index with much that is no longer so is made again, whatever moment it is interrupted at', () => {
  const { searchDb, start, add, rename, remove, write, candidates } = openBoth()
  let index = start()
  const ids: number[] = []
  write(() => {
    for (let at = 0; at < 6_000; at++) ids.push(add(`zebra ${at}`))
  })
  settle(index)
  write(() => {
    for (const id of ids.slice(0, 1_000)) remove(id)
    for (const id of ids.slice(1_000, 2_500)) rename(id, 'okapi')
  })
  while (index.step()) continue
  expect(candidates('zebra').ids.size).toBe(6_000)
  const interruptions = [1, 1, 2]
  for (const steps of interruptions) {
    for (let step = 0; step < steps; step++) index.tidy()
    index = start()
    write(() => void add('zebra meanwhile'))
    while (index.step()) continue
  }
  settle(index)
  expect(candidates('zebra').ids.size).toBe(3_500 + interruptions.length)
  expect(candidates('okapi').ids.size).toBe(1_500)
  expect(searchDb.prepare('SELECT outdated, again_segment FROM progress').get()).toEqual({
    outdated: 0,
    again_segment: null,
  })
})

test('rows of an import are found when it ends, those of others in between as well, and again after one that failed', () => {
  const { start, add, write, candidates } = openBoth()
  const index = start()
  index.beginRows()
  index.addRows(1, rows(1, 60_000))
  index.endRows(false)
  let id = 0
  write(() => {
    id = add('heron')
  })
  settle(index)
  expect(candidates('heron').ids).toContain(id)
  index.beginRows()
  let other = 0
  write(() => {
    other = add('otter')
  })
  index.addRows(other + 1, rows(other + 1, 60_000))
  index.addRows(other + 60_001, rows(other + 60_001, 10))
  index.endRows(true)
  expect(candidates('otter').ids).toContain(other)
  expect(candidates(`gnu ${other + 60_010}`).ids).toContain(other + 60_010)
  expect(candidates(`gnu ${other + 30_000}`).ids).toContain(other + 30_000)
})

test('while segments are made one, imports come, and so much changes that the index is made again', () => {
  const { start, add, rename, write, candidates, holders, indexed, segments } = openBoth()
  const random = seededRandom(9)
  const index = start()
  const ids: number[] = []
  for (let lots = 0; lots < 8; lots++) {
    write(() => {
      for (let at = 0; at < 600; at++) ids.push(add(`zebra ${random().toString(36).slice(2, 10)}`))
    })
    while (index.step()) continue
  }
  expect(segments()).toBe(8)
  expect(index.tidy()).toBe(true)
  expect(index.tidy()).toBe(true)
  expect(segments()).toBe(8)
  index.beginRows()
  expect(index.tidy()).toBe(false)
  write(() => void add('gnu'))
  index.addRows(4_802, rows(4_802, 9))
  index.endRows(true)
  write(() => ids.slice(0, 2_400).forEach((id) => rename(id, 'okapi')))
  settle(index)
  expect(segments()).toBe(1)
  // The rows of the import are not in the book.
  expect(indexed()).toBe(4_801)
  for (const text of ['zebra', 'okapi', 'gnu']) expect(candidates(text).ids).toEqual(new Set(holders(text)))
})

test('what imports leave behind that were killed or failed is outdated from the moment it is written, and goes', () => {
  const { start, add, write, candidates, indexed, outdated } = openBoth()
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

  // What was committed in the end is not.
  index.beginRows()
  index.addRows(101, rows(101, 60_000))
  index.endRows(true)
  expect(outdated()).toBe(0)
  expect(indexed()).toBe(60_100)
})

test('an import that finds the index far behind brings in what it misses in segments like any other', () => {
  const { searchDb, start, add, write, candidates, indexed, segments } = openBoth()
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

test("others' calls are answered while an import that finds the index far behind hands over its rows", async () => {
  const { open, book, tables } = openBook()
  const worker = new Worker(entryUrl('search-thread'))
  onTestFinished(async () => void (await worker.terminate()))
  const { port1, port2 } = new MessageChannel()
  worker.postMessage(port2, [port2])
  const core = createBirpc<SearchFunctions, object>(
    {},
    {
      post: (data) => worker.postMessage(data),
      on: (receive) => void worker.on('message', receive),
    },
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
  const files = { bookFile: book.name, searchFile: open('search').name }
  expect(await core.open(files)).toEqual({ ok: true, value: [] })
  await feed.beginRows()
  tables.write(
    () => {
      for (let at = 0; at < 60_000; at++)
        tables.insert({
          ...someContact,
          id: null,
          digits: 491_510_000_000 + at,
          name: 'zebra',
          touched: tables.nextTouched(),
        })
    },
    () => true,
  )
  let isTaken = false
  const taking = feed.addRows(60_001, rows(60_001, 10)).then(() => (isTaken = true))
  // Handed over later, and not to be done before.
  const settling = feed.settle(false).then(() => expect(isTaken).toBe(true))
  let answered = 0
  for (; !isTaken; answered++) expect(await core.count({})).toEqual({ ok: true, value: 60_000 })
  expect(answered).toBeGreaterThan(4)
  await Promise.all([taking, settling])
  expect(await core.count({ text: 'zebra' })).toEqual({ ok: true, value: 60_000 })
  await core.close()
})

test('rows that the index found in the book before they were handed over are put in once', () => {
  const { start, add, write, candidates, indexed } = openBoth()
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

test('what comes while the index is made again is put into it once, and nothing that was before is left', () => {
  const { start, add, rename, write, indexed, candidates, segments } = openBoth()
  let index = start()
  const ids: number[] = []
  const bring = (contacts: number) => {
    write(() => {
      for (let at = 0; at < contacts; at++) ids.push(add(`zebra ${at}`))
    })
    while (index.step()) continue
  }
  bring(3_000)
  bring(3_000)
  write(() => ids.slice(0, 2_000).forEach((id) => rename(id, 'okapi')))
  while (index.step()) continue
  expect(segments()).toBe(3)
  expect(indexed()).toBe(8_000)
  expect(index.tidy()).toBe(true)
  bring(4_000)
  expect(index.tidy()).toBe(true)
  index = start()
  bring(1_000)
  while (index.tidy()) continue
  expect(indexed()).toBe(11_000)
  expect(candidates('okapi').ids).toEqual(new Set(ids.slice(0, 2_000)))
  expect(candidates('zebra').ids).toEqual(new Set(ids.slice(2_000)))
})

describe('an index that does not belong to the book', () => {
  const figures = ({ searchDb }: ReturnType<typeof openBoth>) =>
    searchDb.prepare('SELECT touched, last_id AS lastId FROM progress').get()
  const generationOf = (book: Database) => book.prepare('SELECT generation FROM book').pluck().get()
  const fill = ({ write, add, rename }: ReturnType<typeof openBoth>, name: string) =>
    write(() => {
      for (let at = 0; at < 3_000; at++) add(name)
      rename(1_000, `${name} too`)
    })
  /** Nothing is told as complete that is not, at any moment of what is left to do. */
  function expectAnew(both: ReturnType<typeof openBoth>, { name, left }: { name: string; left: string }) {
    let index = both.start()
    let complete = false
    let starts = 0
    for (let more = true; more; index = both.start()) {
      expect(++starts).toBeLessThan(20)
      const found = both.candidates(name)
      complete ||= found.complete
      expect(found.complete).toBe(complete)
      if (complete) expect(both.holders(name).filter((id) => !found.ids.has(id))).toEqual([])
      more = index.step() || index.tidy()
    }
    expect(complete).toBe(true)
    expect(both.candidates(name).ids).toEqual(new Set(both.holders(name)))
    expect(both.candidates(left).ids.size).toBe(0)
    expect(both.indexed()).toBe(both.names.size)
  }

  test('since another book took its place begins anew, interrupted or not', () => {
    const [old, now] = [openBoth(), openBook()]
    fill(old, 'zebra')
    settle(old.start())
    const both = openBoth(now, old.searchDb)
    fill(both, 'okapi')
    // Neither has more than the other.
    settle(openBoth(now).start())
    expect(figures(both)).toEqual(figures(openBoth(now)))
    expectAnew(both, { name: 'okapi', left: 'zebra' })
  })

  test('keeps what it has until it can be said that it is to begin anew', () => {
    const [old, now] = [openBoth(), openBook()]
    fill(old, 'zebra')
    settle(old.start())
    const both = openBoth(now, old.searchDb)
    fill(both, 'okapi')
    both.searchDb.exec(`
      CREATE TEMP TRIGGER refusing BEFORE UPDATE ON progress BEGIN SELECT RAISE(ABORT, 'not now'); END`)
    expect(() => both.start()).toThrow('not now')
    expect(both.candidates('zebra').ids.size).toBe(3_000)
    both.searchDb.exec('DROP TRIGGER refusing')
    expectAnew(both, { name: 'okapi', left: 'zebra' })
  })

  test.each(['contacts', 'changes'])('since the book is as it was before the last %s begins anew', (what) => {
    const { open, book, tables } = openBook()
    const both = openBoth({ open, book, tables })
    fill(both, 'zebra')
    const earlier = join(tempFolder(), 'book.db')
    book.prepare('VACUUM INTO ?').run(earlier)
    both.write(() => {
      if (what === 'contacts') both.add('okapi')
      else both.rename(2_000, 'okapi')
    })
    settle(both.start())
    expect(both.candidates('okapi').ids.size).toBe(1)
    const again = openDatabase({ file: earlier, schema: 'book', log: quietLog })
    onTestFinished(again.close)
    const restored = openBoth({ open, book: again.db, tables: createBookTables(again.db) }, both.searchDb)
    for (let id = 1; id <= 3_000; id++) restored.names.set(id, id === 1_000 ? 'zebra too' : 'zebra')
    expectAnew(restored, { name: 'zebra', left: 'okapi' })
  })

  test('since the book was put together of a damaged file begins anew, and sees what changes from then on', () => {
    const { open, book, tables } = openBook()
    const before = openBoth({ open, book, tables })
    fill(before, 'zebra')
    settle(before.start())
    const whole = generationOf(book)
    const page = book
      .prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'contacts_by_name'")
      .pluck()
      .get()!
    book.close()
    const bytes = readFileSync(book.name)
    writeFileSync(book.name, bytes.fill(0xff, (page - 1) * 4096, page * 4096))
    const again = open('book')
    expect(generationOf(again)).not.toBe(whole)
    const both = openBoth({ open, book: again, tables: createBookTables(again) }, before.searchDb)
    for (const [id, name] of before.names) both.names.set(id, name)
    expectAnew(both, { name: 'zebra', left: 'okapi' })
    const index = both.start()
    both.write(() => both.rename(2_000, 'okapi'))
    settle(index)
    expect(both.candidates('okapi').ids).toEqual(new Set([2_000]))
  })
})

test('a contact that cannot be read leaves nothing behind for those that are brought in next', () => {
  const { start, add, tag, tagSet, putTags, write, candidates, indexed } = openBoth()
  const index = start()
  const ids: number[] = []
  write(() => {
    for (let at = 0; at < 3_000; at++) ids.push(add(`zebra ${at}`))
    tag(ids[2_900]!, tagSet)
  })
  settle(index)
  const zebras = new Set(ids)
  putTags(tagSet, '{"broken')
  write(() => {
    for (const at of [500, 700, 2_900]) tag(ids[at]!, at === 2_900 ? tagSet : 1)
  })
  expect(() => index.step()).toThrow()
  expect(() => index.step()).toThrow()
  index.beginRows()
  index.addRows(3_001, rows(3_001, 10))
  index.endRows(true)
  expect(indexed()).toBe(3_010)
  putTags(tagSet, '{"whole":"again"}')
  settle(index)
  expect(candidates('zebra').ids).toEqual(zebras)
  expect(candidates('whole=again').ids).toEqual(new Set([ids[2_900]]))

  // The same where the index is made again.
  write(() => ids.slice(0, 2_400).forEach((id) => tag(id, 1)))
  while (index.step()) continue
  expect(index.tidy()).toBe(true)
  putTags(tagSet, '{"broken too')
  expect(() => index.tidy()).toThrow()
  expect(() => index.tidy()).toThrow()
  putTags(tagSet, '{"whole":"once more"}')
  expect(index.tidy()).toBe(true)
  settle(index)
  expect(candidates('zebra').ids).toEqual(zebras)
  expect(candidates('whole=once').ids).toEqual(new Set([ids[2_900]]))
})
