import { expect, test } from 'vitest'
import { readOrder } from '#electron/jobs/book/book-order.ts'
import { createBookWriter } from '#electron/jobs/book/book-writer.ts'
import { createContactSearch } from '#electron/jobs/book/contact-search.ts'
import { createSearchIndex } from '#electron/jobs/book/search-index.ts'
import { openBook, someContact } from '../../../helpers/open-book.ts'

test('lists a contact with a new note first by time of change, with any cached order', () => {
  const { open, book, tables } = openBook()
  const index = createSearchIndex(book, open('search'))
  const searchDb = open('search')
  const writer = createBookWriter(tables, () => searchDb)
  const search = createContactSearch(book, searchDb)
  // The matches were changed longest ago, so a walk from the newest reaches them late.
  const hits = 2_500
  tables.write(
    () => {
      for (let at = 1; at <= hits + 2_000; at++)
        tables.insert({
          ...someContact,
          id: null,
          digits: 14_155_000_000 + at,
          name: at <= hits ? `Hansen ${at}` : `Other ${at}`,
          createdMs: at,
          updatedMs: at,
          touched: tables.nextTouched(),
        })
    },
    () => true,
  )
  while (index.step()) continue
  const order = readOrder(book, 'updated')
  const page = () =>
    search
      .page({
        filter: { text: 'hansen' },
        sort: { by: 'updated', descending: true },
        limit: 3,
        order,
      })
      .items.map(({ id }) => id)
  expect(page()).toEqual([hits, hits - 1, hits - 2])
  writer.setNote(100, 'rang back', 1_000_000)
  expect(page()).toEqual([100, hits, hits - 1])
})
