import { expect, test } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { createListEnd, readWholeList } from '#electron/core/service/read-whole-list.ts'

type Answer = Parameters<typeof readWholeList<number>>[0] extends (page: number) => Promise<infer Page>
  ? Page
  : never
const refusal = (status: number) => new AppError('SERVICE_REJECTED', { status })
const at = (pages: (Answer | AppError)[]) => (page: number) => {
  const answer = pages[page - 1] ?? pages.at(-1)!
  return answer instanceof AppError ? Promise.reject(answer) : Promise.resolve(answer)
}
const read = (pages: (Answer | AppError)[], most = 1_000) => readWholeList(at(pages), String, most)
const page = (items: number[], total = items.length, unreadable = 0): Answer => ({
  items,
  total,
  unreadable,
  perPage: 100,
})
const full = Array.from({ length: 100 }, (_, at) => at)

test.each([
  ['of one page, with its total', [page([1, 2]), page([], 2)], [2, true, 2]],
  ['whose total needs two pages', [page([1, 2], 3), page([3], 3)], [3, true, 2]],
  ['whose total is too high', [page([1, 2], 9), page([], 9)], [2, false, 2]],
  ['that counts only the records of a page', [page([1, 2]), page([3, 4]), page([5]), page([])], [5, true, 4]],
  [
    'without a total',
    [
      { ...page([1, 2]), atLeast: true },
      { ...page([3]), atLeast: true },
    ],
    [3, true, 3],
  ],
  ['whose last page is sent again', [page([1, 2]), page([3])], [3, true, 3]],
  ['with an unreadable record on each page', [page([1, 2], 3, 1), page([], 1, 1)], [2, true, 2]],
  ['with unreadable records among all', [page([1, 2], 5, 1), page([3], 5, 1)], [3, true, 2]],
  ['whose total changes', [page([1, 2], 4), page([3, 4], 5), page([5], 5)], [5, false, 3]],
  ['that refuses the page past its end', [page([1, 2]), refusal(404)], [2, true, 2]],
  ['that is longer than it may be', [page(full, 200)], [100, false, 1], 100],
])('reads a list %s', async (_, pages, expected, most?) => {
  const list = await read(pages, most)
  expect([list.items.length, list.complete, list.requests]).toEqual(expected)
})

test.each([
  ['before anything was read', [refusal(404)]],
  ['before everything was read', [page([1, 2], 4), refusal(404)]],
  ['because a permission is missing', [page([1, 2]), refusal(403)]],
  ['for the moment', [page([1, 2]), refusal(409)]],
])('fails for a page refused %s', async (_, pages) => {
  await expect(read(pages)).rejects.toMatchObject({ code: 'SERVICE_REJECTED' })
})

test('ends at a full page only if it trusts the total', () => {
  const ends = [true, false].map((trustsTotal) => {
    const end = createListEnd({ trustsTotal })
    for (const records of [full, full.map((id) => 100 + id)]) end.take(page(records, 200))
    return [end.isReached(200), end.isPast(refusal(400))]
  })
  expect(ends).toEqual([
    [true, true],
    [false, false],
  ])
})

test.each([
  ['the total arrived', [page(full, 200), page(full, 200)], true],
  ['each page counts only its own records', [page(full), page(full)], false],
])('takes a missing page after full ones for the end only with a whole total: %s', (_, pages, expected) => {
  const end = createListEnd({ trustsTotal: false })
  for (const [at, each] of pages.entries()) {
    end.take(each)
    end.isReached((at + 1) * 100)
  }
  expect(end.isPast(refusal(404))).toBe(expected)
})
