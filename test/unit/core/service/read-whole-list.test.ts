import { expect, test } from 'vitest'
import { readWholeList } from '#electron/core/service/read-whole-list.ts'

const read = async (pages: { items: number[]; unreadable?: number; total: number }[]) => {
  const list = await readWholeList((page) => Promise.resolve(pages[page - 1] ?? pages.at(-1)!), String, 1_000)
  return [list.items.length, list.complete, list.requests]
}
const page = (items: number[], total = items.length, unreadable = 0) => ({ items, total, unreadable })

test.each([
  ['of one page, with its total', [page([1, 2]), page([], 2)], [2, true, 2]],
  ['whose total needs two pages', [page([1, 2], 3), page([3], 3)], [3, true, 2]],
  ['that counts only the records of a page', [page([1, 2]), page([3, 4]), page([5]), page([])], [5, true, 4]],
  ['whose last page is sent again', [page([1, 2]), page([3])], [3, true, 3]],
  [
    'with an unreadable record on each page, also past the end',
    [page([1, 2], 3, 1), page([], 1, 1)],
    [2, true, 2],
  ],
  ['whose total changes', [page([1, 2], 4), page([3, 4], 5), page([5], 5)], [5, false, 3]],
])('reads a list %s', async (_, pages, expected) => {
  expect(await read(pages)).toEqual(expected)
})
