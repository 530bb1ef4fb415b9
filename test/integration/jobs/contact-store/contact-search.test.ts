import type { ContactFilter, ContactSort } from '#electron/contract/people/contacts.ts'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readOrder } from '#electron/jobs/contact-store/contact-order.ts'
import { type StoreRow, contactStates } from '#electron/jobs/contact-store/store-types.ts'
import { createContactSearch } from '#electron/jobs/contact-store/contact-search.ts'
import { createTextTest, searchTextOf } from '#electron/jobs/contact-store/contact-text.ts'
import { sortKeyOf } from '#electron/jobs/contact-store/contact-walk.ts'
import { createSearchIndex } from '#electron/jobs/contact-store/search-index.ts'
import { parseTerms } from '#electron/jobs/contact-store/search-terms.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { openContacts } from '../../../helpers/open-contacts.ts'

const random = seededRandom(5)
const roll = (below: number) => Math.floor(random() * below)
const pick = <T>(items: readonly T[]): T => items[roll(items.length)]!

/** Contacts with their index and search; `onStatement` is called before each statement of the search. */
function openSearched(onStatement: (statement: string) => void = () => {}) {
  const { open, contactsDb, tables, write, insert, change } = openContacts()
  const searchDb = open('search')
  const index = createSearchIndex(contactsDb, searchDb)
  const reader = (file: string) => {
    const db = new Sqlite(file, { readonly: true, verbose: (statement) => onStatement(String(statement)) })
    onTestFinished(() => void db.close())
    return db
  }
  const search = createContactSearch(reader(contactsDb.name), reader(searchDb.name))
  let digits = 14_155_000_000
  return {
    contactsDb,
    tables,
    index,
    search,
    write,
    change,
    /** Stores contacts with ascending numbers. */
    add: (count: number, draft: (at: number) => Partial<Parameters<typeof insert>[0]>) =>
      write(() => Array.from({ length: count }, (_, at) => insert({ ...draft(at), digits: (digits += 7) }))),
    rename: (ids: readonly number[], name: string) => write(() => ids.forEach((id) => change(id, { name }))),
    catchUp() {
      while (index.step()) continue
    },
    /** All pages of a query as IDs. An exact count must match them. */
    paged(query: Omit<Parameters<typeof search.page>[0], 'from'>): number[] {
      const ids: number[] = []
      const exact = new Set<number>()
      let from: { key: string | number; id: number } | undefined
      for (let [pages, more] = [0, true]; more; pages++) {
        if (pages > 1_000) throw new Error('There are pages without end')
        const page = search.page({ ...query, from })
        ids.push(...page.items.map(({ id }) => id))
        const last = page.items.at(-1)
        more = page.more
        if (page.count.exact) exact.add(page.count.value)
        from = page.resumeAfter ?? (last ? { key: sortKeyOf(last, query.sort.by), id: last.id } : undefined)
      }
      for (const count of exact) expect(count).toBe(ids.length)
      return ids
    },
    /** A whole selection, read in pieces. */
    selected(filter: ContactFilter, perPiece: number): number[] {
      const ids: number[] = []
      for (let after = 0; ; after = ids.at(-1)!) {
        const piece = search.ids({ filter, exceptIds: [] }, after, perPiece)
        if (piece.length === 0) return ids
        ids.push(...piece)
      }
    },
  }
}

const byNumber: ContactSort = { by: 'phone', descending: false }

/** A contact is found by text that this contains. */
const wordsOf = (typed: string): string[] =>
  typed.startsWith('"')
    ? [typed.slice(1, -1)]
    : typed.replace('0(415) 500-00', '41550000').toLowerCase().split(' ')

test('finds a list of whole numbers without the index, with any other filter', () => {
  const statements: string[] = []
  const { add, rename, tables, contactsDb, search, paged, selected } = openSearched((statement) =>
    statements.push(statement),
  )
  add(5_000, (at) => ({ name: `Contact ${at}` }))
  const ids = [700, 3_400, 4_999]
  const numberOf = (id: number) => tables.stored(id)!.digits
  const [first, second, third] = ids.map(numberOf)
  const text = `+${first} ${second}, 0${String(third).slice(1)}\n+4940123456`
  const sort: ContactSort = { by: 'name', descending: true }
  const order = readOrder(contactsDb, 'name')
  for (const among of [order, undefined])
    expect(paged({ filter: { text }, sort, limit: 2, ...(among ? { order: among } : {}) })).toEqual([
      700, 4_999, 3_400,
    ])
  expect(selected({ text }, 2)).toEqual(ids)
  expect(search.count({ text })).toBe(3)
  expect(search.count({ text, dnc: true })).toBe(0)
  expect(statements.filter((statement) => /FROM texts/.test(statement))).toEqual([])
  rename([3_400], 'Zoe')
  expect(paged({ filter: { text }, sort: byNumber, limit: 10 })).toEqual(ids)
})

test('sorts names as a person looks for them: without case and accents', () => {
  const { add, search, change } = openSearched()
  const names = ['Bruno', 'Zapata', 'brändli', 'Álvarez', 'Brandt', 'Ørsted']
  const ids = add(names.length, (at) => ({ name: names[at]! }))
  const listed = () =>
    search
      .page({ filter: {}, sort: { by: 'name', descending: false }, limit: 10 })
      .items.map(({ name }) => name)
  expect(listed()).toEqual(['Álvarez', 'brändli', 'Brandt', 'Bruno', 'Ørsted', 'Zapata'])
  change(ids[0]!, { name: 'Äbi' })
  expect(listed()[0]).toBe('Äbi')
})

test('returns what matches now, page by page and in pieces, while contacts change', () => {
  // A page may end early on a busy machine; here each takes no time.
  vi.spyOn(performance, 'now').mockReturnValue(0)
  const { contactsDb, tables, search, write, change, add, catchUp } = openSearched()
  const words = ['Anna', 'anna', 'Zoë', 'Hansen', 'HANSEN', 'van Hansen', 'Ørsted', '', 'Li']
  const name = () => `${pick(words)} ${pick(words)}`.trim()
  const draft = (at: number) => ({
    name: name(),
    email: roll(2) ? `person${at}@example.org` : '',
    state: roll(3),
    marks: roll(30) === 0 ? 1 : 0,
    createdMs: at,
    updatedMs: roll(50),
  })
  add(2_000, draft)
  catchUp()
  const columns = {
    name: 'name_folded',
    phone: 'digits',
    updated: 'updated_ms',
    created: 'id',
  } as const
  const keys = Object.keys(columns) as ContactSort['by'][]
  const orders = new Map(keys.map((by) => [by, readOrder(contactsDb, by)]))

  /** The contacts of a query that match a filter, in its order. */
  function matching({ text = '', states, dnc }: ContactFilter, sql: string, ...params: unknown[]): number[] {
    const ids = contactsDb
      .prepare<unknown[], number>(`SELECT id FROM contacts ${sql}`)
      .pluck()
      .all(...params)
    const rows = new Map(search.rows(ids).map((row) => [row.id, row]))
    return ids.filter((id) => {
      const row = rows.get(id)!
      return (
        wordsOf(text).every((word) => searchTextOf(row).includes(word)) &&
        (states?.some((state) => contactStates[row.state] === state) ?? true) &&
        (dnc === undefined || dnc === (row.marks === 1))
      )
    })
  }
  /** Changes, deletes and adds contacts, often this one. */
  function edit(id: number): void {
    write(() => {
      for (const some of [id, ...Array.from({ length: 3 }, () => 1 + roll(2_000))]) {
        if (!tables.stored(some)) continue
        if (roll(8) === 0) tables.remove(some)
        else change(some, { name: name(), updatedMs: 60 + roll(9) })
      }
    })
    add(roll(3), draft)
    if (roll(2)) catchUp()
  }

  for (let round = 0; round < 15; round++) {
    const by = pick(keys)
    const descending = roll(2) === 0
    const filter: ContactFilter = {
      text: pick([
        ...['', 'hansen', 'ann', 'zo', 'e', 'person', '+1415', 'rst', 'example.org', 'hansen ha'],
        ...['"hansen ha"', 'ORG zoe ns', '0(415) 500-00 anna', 'li'],
      ]),
      states: pick([undefined, ['local'], ['waiting', 'in-flight']]),
      dnc: pick([undefined, undefined, true, false]),
    }
    const asked = JSON.stringify({ round, filter, by, descending })
    const [than, direction] = descending ? ['<', 'DESC'] : ['>', 'ASC']
    const order = `ORDER BY ${columns[by]} ${direction}, id ${direction}`
    const limit = 20 + roll(60)
    let from: { key: string | number; id: number } | undefined
    for (let pages = 0; pages < 4; pages++) {
      const rest: number[] = from
        ? matching(filter, `WHERE (${columns[by]}, id) ${than} (?, ?) ${order}`, from.key, from.id)
        : matching(filter, order)
      const total = matching(filter, '').length
      let last: StoreRow | undefined
      for (const known of [orders.get(by), undefined]) {
        const query = { filter, sort: { by, descending }, limit, from }
        const { items, more, count } = search.page(known ? { ...query, order: known } : query)
        expect(
          items.map(({ id }) => id),
          asked,
        ).toEqual(rest.slice(0, limit))
        expect(more, asked).toBe(rest.length > limit)
        if (count.exact) expect(count.value, asked).toBe(total)
        else expect(count.value, asked).toBeLessThanOrEqual(total)
        last = items.at(-1)
      }
      if (!last) break
      from = { key: sortKeyOf(last, by), id: last.id }
      edit(from.id)
      // Otherwise the order is an old one.
      if (roll(3) === 0) orders.set(by, readOrder(contactsDb, by))
    }
    expect(search.count(filter), asked).toBe(matching(filter, '').length)
    for (let [after, pieces] = [0, 0]; pieces < 6; pieces++) {
      // Sometimes another selection with the same text comes between.
      for (const each of roll(3) === 0 ? [{ text: filter.text }, filter] : [filter]) {
        const piece = search.ids({ filter: each, exceptIds: [] }, after, 150)
        expect(piece, asked).toEqual(matching(each, 'WHERE id > ? ORDER BY id', after).slice(0, 150))
        if (each === filter) after = piece.at(-1) ?? after
      }
      edit(after)
    }
  }
})

test.each([
  {
    what: 'rare text with a condition that every contact matches',
    isZebra: (at: number) => at >= 50_000 && at % 4 === 0,
    isMarked: () => true,
    count: { value: 51, exact: false },
  },
  {
    what: 'common text with a common condition, when few contacts match both',
    isZebra: (at: number) => at < 31_000,
    isMarked: (at: number) => at >= 30_970,
    count: { value: 30, exact: true },
  },
])('finds $what, at once', ({ isZebra, isMarked, count }) => {
  const { search, contactsDb, add, catchUp } = openSearched()
  const ids = add(60_000, (at) => ({ name: isZebra(at) ? 'zebra' : 'gnu', marks: isMarked(at) ? 1 : 0 }))
  catchUp()
  const order = readOrder(contactsDb, 'phone')
  const page = search.page({ filter: { text: 'zebra', dnc: true }, sort: byNumber, limit: 50, order })
  expect(page).toMatchObject({ more: !count.exact, resumeAfter: null, count })
  const found = ids.filter((_, at) => isZebra(at) && isMarked(at))
  expect(page.items.map(({ id }) => id)).toEqual(found.slice(0, 50))
})

test('reads candidates some hundred at a time to keep its time limit', () => {
  const looked: number[] = []
  let stepMs = 0
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += stepMs))
  const { search, contactsDb, add } = openSearched((statement) => {
    const [, first, rest] = /FROM json_each\('(.*)'(?:\/\*\+(\d+) bytes\*\/)?\) j/.exec(statement) ?? []
    if (first) looked.push(first.length + Number(rest ?? 0))
  })
  // The index knows none of them, so only the condition is left.
  const ids = add(20_000, () => ({ name: 'gnu', marks: 1 }))
  const order = readOrder(contactsDb, 'phone')
  search.page({ filter: { text: 'zebra', dnc: true }, sort: byNumber, limit: 50, order })
  expect(looked.length).toBeGreaterThan(3)
  // Out of time, it stops early and counts only what it found.
  stepMs = 1_000
  expect(search.page({ filter: { text: 'zebra' }, sort: byNumber, limit: 50, order })).toMatchObject({
    items: [],
    more: true,
    count: { value: 0, exact: false },
  })
  expect(Math.max(...looked)).toBeLessThanOrEqual(JSON.stringify(ids.slice(-500)).length)
})

test.each([undefined, false, true])('includes every contact missing from the index (DNC %s)', (dnc) => {
  const { search, contactsDb, add, rename, catchUp, paged, selected } = openSearched()
  const ids = add(3_100, (at) => ({ name: at === 0 ? 'zebra' : 'gnu', marks: dnc ? 1 : 0 }))
  catchUp()
  rename([ids[3_000]!, ids[1_500]!, ids[2_500]!], 'zebra')
  rename(ids.slice(1, 1_400), 'okapi')
  const added = add(2_602, (at) => ({ name: at === 2_601 ? 'zebra' : 'gnu', marks: dnc ? 1 : 0 }))
  const zebras = [ids[0]!, ids[1_500]!, ids[2_500]!, ids[3_000]!, added[2_601]!]
  for (const order of [readOrder(contactsDb, 'phone'), null]) {
    const query = { filter: { text: 'zebra', dnc }, sort: byNumber, limit: 50, order }
    const { items, more, count } = search.page(query)
    if (!more) expect({ found: items.length, count }).toEqual({ found: 5, count: { value: 5, exact: true } })
    if (count.exact) expect(count.value).toBe(5)
    expect(paged(query)).toEqual(zebras)
  }
  expect(selected({ text: 'zebra', dnc }, 2)).toEqual(zebras)
})

test('finds any text, with any characters, both before and after indexing', () => {
  const { search, contactsDb, tables, add, catchUp, paged } = openSearched()
  const pieces = [
    ...['ann', 'ß', 'Å', '漢', '😀', '\t', '\n', '\r\n', ' ', '=', '+', '07', 'x', '\u00a0', '\u0001'],
  ]
  const some = (most: number) => Array.from({ length: roll(most + 1) }, () => pick(pieces)).join('')
  add(300, () => ({
    name: some(4),
    email: some(3),
    tagSet: tables.tagSetOf(JSON.stringify({ [some(2)]: some(2), [`k${some(1)}`]: some(3) })),
  }))
  const every = search.rows(contactsDb.prepare<[], number>('SELECT id FROM contacts').pluck().all())
  const texts = Array.from({ length: 250 }, () => {
    const text = searchTextOf(pick(every))
    const from = roll(text.length)
    // Folding removes an accent, so a line can begin with what followed one.
    return pick(['', '"', '"\u0301\n']) + text.slice(from, from + 1 + roll(7))
  })
  const holding = (text: string) => {
    const test = createTextTest(parseTerms(text))
    return every
      .filter(({ digits, name, email, tagsJson }) => test(digits, name, email, tagsJson))
      .map(({ id }) => id)
  }
  const check = () => {
    for (const text of texts) {
      const wanted = holding(text)
      expect(search.ids({ filter: { text }, exceptIds: [] }, 0, 1_000), JSON.stringify(text)).toEqual(wanted)
      expect(paged({ filter: { text }, sort: byNumber, limit: 40 }), JSON.stringify(text)).toEqual(wanted)
    }
  }
  expect(
    texts.filter((text) => text.slice(2).trim().includes('\n') && text.startsWith('"')).length,
  ).toBeGreaterThan(10)
  check()
  catchUp()
  check()
})

test('continues slow candidates on the next page without gaps or repeats', () => {
  const { search, contactsDb, write, change, add, paged } = openSearched((statement) => {
    if (/FROM json_each.* j\b/s.test(statement))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15)
  })
  const name = () => `${pick('abcdefgh'.split(''))}${roll(1_000)} ${roll(300) === 0 ? 'zebra' : 'gnu'}`
  const ids = add(8_000, () => ({ name: name(), marks: 1 }))
  const order = readOrder(contactsDb, 'name')
  write(() => {
    for (let times = 0; times < 600; times++) change(pick(ids), { name: name() })
  })
  const zebras = contactsDb
    .prepare<[], number>("SELECT id FROM contacts WHERE name LIKE '%zebra' ORDER BY name_folded, id")
    .pluck()
    .all()
  for (const descending of [false, true]) {
    // The index knows none of them, so only the condition is left.
    const query = {
      filter: { text: 'zebra', dnc: true },
      sort: { by: 'name', descending } as const,
      limit: 50,
      order,
    }
    expect(search.page(query)).toMatchObject({ more: true, count: { exact: false } })
    expect(search.page(query).resumeAfter).not.toBeNull()
    expect(paged(query)).toEqual(descending ? zebras.toReversed() : zebras)
  }
})

test.each([
  ['the index knows', 'texts'],
  ['the index does not know', 'progress'],
])('asks the index once for a selection read in pieces (%s)', (known, table) => {
  const statements: string[] = []
  const { search, add, catchUp, selected } = openSearched((statement) => statements.push(statement))
  const asked = () => statements.filter((statement) => statement.includes(`FROM ${table}`)).length
  const ids = add(3_000, (at) => ({ name: at < 100 ? 'zebra' : 'gnu' }))
  if (known === 'the index knows') catchUp()
  expect(selected({ text: 'zebra' }, 30)).toEqual(ids.slice(0, 100))
  expect(asked()).toBe(1)
  expect(selected({ text: 'zebra' }, 25)).toEqual(ids.slice(0, 100))
  expect(asked()).toBe(2)
  // Only the last piece shows the end.
  const selection = { filter: { text: 'zebra' }, exceptIds: [] }
  expect(search.ids(selection, 0, 200)).toEqual(ids.slice(0, 100))
  statements.length = 0
  expect(search.ids(selection, ids[99]!, 200)).toEqual([])
  expect(statements.filter((statement) => /texts|tag_sets/.test(statement))).toEqual([])
})

test('takes memory for the contacts there are, not for all that there ever were', () => {
  const { contactsDb, search, add, catchUp } = openSearched()
  add(2_000, () => ({ name: 'gnu', marks: 1 }))
  // As imports of many contacts leave it that were undone.
  contactsDb.exec("UPDATE sqlite_sequence SET seq = 50_000_000 WHERE name = 'contacts'")
  add(2_000, (at) => ({ name: at < 700 ? 'zebra' : 'gnu', marks: at % 2 }))
  catchUp()
  const order = readOrder(contactsDb, 'name')
  const sort: ContactSort = { by: 'name', descending: false }
  const used = () => process.memoryUsage().arrayBuffers
  for (const [filter, count] of [
    [{ text: 'ze' }, 700],
    [{ text: 'zebra' }, 700],
    [{ text: 'zebra', dnc: true }, 350],
  ] as [ContactFilter, number][]) {
    const before = used()
    expect(search.page({ filter, sort, limit: 50, order }).items).toHaveLength(50)
    expect(search.count(filter)).toBe(count)
    expect(used() - before).toBeLessThan(8 * 2 ** 20)
  }
})
