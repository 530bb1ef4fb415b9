import { expect, test } from 'vitest'
import type { ScheduledMessage } from '#contract/domain.ts'
import { type Swept, type SweptPage, sweepScheduled } from '#electron/core/views/scheduled/scheduled-sweep.ts'
import { aScheduled } from '../../../../helpers/scripted/scheduled.ts'

const entries = (count: number, from = 0) =>
  Array.from({ length: count }, (_item, index) => aScheduled({ id: `s-${from + index}` }))

/** Reads a list that is `all(n)` at the n-th request, in the service's pages. */
async function sweep(all: (request: number) => ScheduledMessage[], total?: number) {
  let requests = 0
  const client = {
    scheduled: {
      list({ page = 1, perPage = 20 }) {
        const items = all(++requests)
        const shown = items.slice((page - 1) * perPage, page * perPage)
        return Promise.resolve({ items: shown, total: total ?? items.length, page, perPage })
      },
    },
  }
  const pages: SweptPage[] = []
  const sweeping = sweepScheduled(client, new AbortController().signal)
  for (;;) {
    const step = await sweeping.next()
    if (step.done) return { pages, requests, swept: step.value satisfies Swept }
    pages.push(step.value)
  }
}
const idsOf = (items: readonly ScheduledMessage[]) => items.map(({ id }) => id as string)

test('reads an unchanging list once, page by page', async () => {
  const { swept, pages, requests } = await sweep(() => entries(250))
  expect(requests).toBe(3)
  expect(pages).toMatchObject([1, 2, 3].map((pagesDone) => ({ pagesDone, pagesTotal: 3 })))
  expect(swept).toMatchObject({ total: 250, state: 'whole' })
  expect(idsOf(swept.items)).toEqual(idsOf(entries(250)))
})

test('ends for an empty list and at whole pages', async () => {
  expect((await sweep(() => [])).swept).toEqual({ items: [], total: 0, state: 'whole' })
  const { swept, requests } = await sweep(() => entries(200))
  expect(swept.items).toHaveLength(200)
  expect(requests).toBeLessThanOrEqual(3)
})

test('reads a moving list again without repeating or missing an entry', async () => {
  // After the first page the first entry is sent and leaves: everything behind it moves up by one.
  const { swept, pages } = await sweep((request) => (request === 1 ? entries(205) : entries(204, 1)))
  expect(swept.state).toBe('whole')
  expect(idsOf(swept.items)).toEqual(idsOf(entries(204, 1)))
  expect(pages.at(-1)?.sweep).toBe(2)
})

test('finds an entry that moved between pages by a second reading', async () => {
  const moved = [...entries(100, 1), ...entries(1), ...entries(99, 101)]
  const { swept } = await sweep((request) => (request === 1 ? entries(200) : moved))
  expect(swept.state).toBe('whole')
  expect(idsOf(swept.items).sort()).toEqual(idsOf(entries(200)).sort())
})

test('returns everything seen of an ever-changing list and calls it moving', async () => {
  const { swept, requests } = await sweep((request) => entries(150 + request))
  expect(swept).toMatchObject({ state: 'moving' })
  expect(swept.items).toHaveLength(156)
  expect(requests).toBe(6)
})

test('cuts a list over the limit and says so', async () => {
  const many = entries(5_250)
  const { swept, requests } = await sweep(() => many)
  expect(swept).toMatchObject({ total: 5_250, state: 'cut' })
  expect(swept.items).toHaveLength(5_000)
  expect(requests).toBe(50)
})

test('ends although the total is wrong', async () => {
  const { swept, requests } = await sweep(() => entries(30), 1_000_000)
  expect(swept).toMatchObject({ state: 'moving', total: 1_000_000 })
  expect(swept.items).toHaveLength(30)
  expect(requests).toBe(6)
})

test('reports only new or changed entries with each page', async () => {
  const all = entries(152)
  const { pages } = await sweep((request) =>
    request <= 2 ? all.slice(0, 150 + request) : [{ ...all[0]!, status: 'sent' }, ...all.slice(1)],
  )
  expect(idsOf(pages[2]!.items)).toEqual(['s-0'])
})
