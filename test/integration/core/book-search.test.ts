import { expect, test } from 'vitest'
import { readOrder } from '#electron/jobs/book/book-order.ts'
import { type BookSort, contactStates } from '#electron/jobs/book/book-types.ts'
import { createContactSearch } from '#electron/jobs/book/contact-search.ts'
import { searchTextOf } from '#electron/jobs/book/contact-text.ts'
import { sortKeyOf } from '#electron/jobs/book/contact-walk.ts'
import { createSearchIndex } from '#electron/jobs/book/search-index.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { openBook, someContact } from '../../helpers/open-book.ts'

const random = seededRandom(5)
const roll = (below: number) => Math.floor(random() * below)
const pick = <T>(items: readonly T[]): T => items[roll(items.length)]!

test('pages of many hits are the same with an order of the book, an old one and none', () => {
  const { open, book, tables } = openBook()
  const index = createSearchIndex(book, open('search'))
  const search = createContactSearch(book, open('search'))
  const names = ['Anna', 'anna', 'Zoë', 'Hansen', 'HANSEN', 'van Hansen', 'Ørsted', '', 'Li']
  const draft = (at: number) => ({
    ...someContact,
    digits: 14_155_000_000 + at * 7,
    name: `${pick(names)} ${pick(names)}`.trim(),
    email: roll(2) ? `person${at}@example.org` : '',
    state: roll(3),
    marks: roll(30) === 0 ? 1 : 0,
    createdMs: at,
    updatedMs: roll(50),
  })
  const add = (from: number, to: number) =>
    tables.write(
      () => {
        for (let at = from; at < to; at++)
          tables.insert({ ...draft(at), id: null, touched: tables.nextTouched() })
      },
      () => true,
    )
  add(0, 4_000)
  while (index.step()) continue

  const orders = Object.fromEntries(
    (['name', 'phone', 'updated', 'created'] as const).map((by) => [by, readOrder(book, by)]),
  ) as Record<BookSort['by'], ReturnType<typeof readOrder>>

  function compare(rounds: number): void {
    for (let round = 0; round < rounds; round++) {
      const sort: BookSort = { by: pick(['name', 'phone', 'updated', 'created']), descending: roll(2) === 0 }
      const filter = {
        text: pick([
          '',
          'hansen',
          'ann',
          'zo',
          'e',
          'person',
          '+1415',
          'rst',
          'example.org',
          'hansen ha',
          'li',
        ]),
        states: pick([undefined, ['local' as const], ['waiting' as const, 'in-flight' as const]]),
        dnc: pick([undefined, undefined, true, false]),
      }
      const wanted: number[] = []
      const got: number[] = []
      let from: { key: string | number; id: number } | undefined
      const limit = 20 + roll(60)
      for (let pages = 0; pages < 5; pages++) {
        const query = { filter, sort, limit, from }
        const plain = search.page(query)
        const ordered = search.page({ ...query, order: orders[sort.by] })
        const last = plain.items.at(-1)
        wanted.push(...plain.items.map(({ id }) => id))
        got.push(...ordered.items.map(({ id }) => id))
        expect(ordered.more).toBe(plain.more)
        const back =
          last &&
          search.page({
            filter,
            sort,
            limit: 7,
            from: { key: sortKeyOf(last, sort.by), id: last.id },
            backwards: true,
            order: orders[sort.by],
          })
        if (back) expect(back.items.map(({ id }) => id)).toEqual(wanted.slice(-1 - back.items.length, -1))
        if (!last || !plain.more) break
        from = { key: sortKeyOf(last, sort.by), id: last.id }
      }
      expect(got, JSON.stringify({ filter, sort })).toEqual(wanted)
      const every = search.rows(book.prepare<[], number>('SELECT id FROM contacts').pluck().all())
      const matching = every.filter(
        (row) =>
          searchTextOf(row).includes(filter.text) &&
          (filter.states?.some((state) => contactStates[row.state] === state) ?? true) &&
          (filter.dnc === undefined || filter.dnc === (row.marks === 1)),
      )
      expect(search.count(filter)).toBe(matching.length)
      const some: number[] = []
      for (let after = 0; ; after = some.at(-1)!) {
        const piece = search.ids({ filter, exceptIds: [] }, after, 37)
        some.push(...piece)
        if (piece.length === 0) break
      }
      expect(some).toEqual(matching.map(({ id }) => id))
    }
  }

  compare(25)
  // Changed, gone and new since the orders were read; half of it not seen by the index either.
  const change = () =>
    tables.write(
      () => {
        for (let times = 0; times < 150; times++) {
          const contact = tables.whole(1 + roll(4_000))
          if (!contact) continue
          if (roll(4) === 0) tables.remove(contact.id)
          else
            tables.put(
              {
                ...contact,
                name: `${pick(names)} ${pick(names)}`,
                updatedMs: 60 + roll(9),
                touched: tables.nextTouched(),
              },
              true,
            )
        }
      },
      () => true,
    )
  change()
  add(4_000, 4_200)
  while (index.step()) continue
  change()
  add(4_200, 4_300)
  compare(25)
})
