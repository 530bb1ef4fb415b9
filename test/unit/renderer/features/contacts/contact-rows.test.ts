import { describe, expect, it, vi } from 'vitest'
import type { ContactFilter } from '#contract/people/contacts.ts'
import { pageRows, pagesKept } from '../../../../../renderer/src/features/contacts/contact-pages.ts'
import { createContactRows } from '../../../../../renderer/src/features/contacts/contact-rows.ts'
import { DisconnectedError } from '../../../../../renderer/src/rpc/error-view.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'

interface Asked {
  filter: ContactFilter
  cursor?: string
  position?: number
  limit: number
}

/** More requests than any of these lists needs. */
const mostAsked = 200
const byName = { by: 'name', descending: false } as const

/** Contacts named by their filter and position. With `slow`, the test releases each answer. */
function aList(sizes: { whole: number; filtered: number }) {
  const asked: Asked[] = []
  const waiting: (() => void)[] = []
  const list = {
    version: 1,
    slow: false,
    failing: false,
    exact: true,
    /** Maximum rows per answer; with it, every other answer is empty. */
    most: Infinity,
    /** Empty answers that never advance. */
    stuck: false,
    sizes,
    asked,
    waiting,
    counts: 0,
  }
  const sizeOf = (filter: ContactFilter) => (filter.text ? sizes.filtered : sizes.whole)
  const client = {
    contacts: {
      list: async (input: Asked, { signal }: { signal: AbortSignal }) => {
        asked.push(input)
        // Like the core, an aborted request is not sent. Beyond the maximum, requests hang, so that an endless list fails instead of
        // blocking.
        if (asked.length > mostAsked) await new Promise(() => {})
        signal.throwIfAborted()
        const { version } = list
        if (list.slow) await new Promise<void>((resolve) => waiting.push(resolve))
        signal.throwIfAborted()
        if (list.failing) throw new DisconnectedError('gone')
        const [start, hollows = '0'] = (input.cursor ?? String(input.position ?? 0)).split(' ')
        const from = Number(start)
        const size = sizeOf(input.filter)
        const isHollow = list.stuck || (list.most !== Infinity && hollows === '0')
        const until = isHollow ? from : Math.min(size, from + input.limit, from + list.most)
        const next = isHollow && !list.stuck ? `${until} 1` : String(until)
        return {
          items: Array.from({ length: until - from }, (_row, at) => ({
            id: from + at,
            name: `${input.filter.text ?? 'all'} ${from + at} v${version}`,
          })),
          position: from,
          nextCursor: until < size ? next : null,
          count: list.exact ? { value: size, exact: true } : { value: 1, exact: false },
          version,
          asOf: new Date(version).toISOString(),
        }
      },
      count: async ({ filter }: { filter: ContactFilter }) => {
        list.counts++
        return { value: sizeOf(filter), exact: true }
      },
    },
  } as unknown as Client
  const rows = createContactRows(client)
  return { list, rows, names: () => Array.from({ length: 3 }, (_row, at) => rows.row(at)?.name) }
}

/** A list that is ready: of a filter when only its filtered size is given. */
async function aReadyList(sizes: Partial<Parameters<typeof aList>[0]>) {
  const made = aList({ whole: 0, filtered: 0, ...sizes })
  made.rows.ask({ filter: sizes.whole === undefined ? { text: 'a' } : {}, sort: byName })
  await expect.poll(() => made.rows.state.value.phase).toBe('ready')
  return made
}

describe('contact rows', () => {
  it('are loaded where they are visible, even in the middle of a million', async () => {
    const { list, rows } = aList({ whole: 1_000_000, filtered: 0 })
    rows.ask({ filter: {}, sort: byName })
    await expect.poll(() => rows.state.value.length).toBe(1_000_000)
    rows.look(500_000, 500_020)
    await expect.poll(() => rows.row(500_010)?.id).toBe(500_010)
    expect(list.asked).toHaveLength(2)
  })

  it('keep a limited number of pages while scrolling', async () => {
    const { rows } = await aReadyList({ filtered: 100_000 })
    for (let page = 1; page < pagesKept + 20; page++) {
      rows.look(page * pageRows, page * pageRows + 10)
      await expect.poll(() => rows.row(page * pageRows)?.id).toBe(page * pageRows)
    }
    expect(rows.row(0)).toBeUndefined()
    rows.look(0, 10)
    await expect.poll(() => rows.row(0)?.id).toBe(0)
  })

  it('of an earlier query never mix with those of the next, in any order of answers', async () => {
    const { list, rows, names } = await aReadyList({ filtered: 1_000 })
    list.slow = true
    rows.ask({ filter: { text: 'b' }, sort: byName })
    // The grid still requests rows of the previous query.
    rows.look(95, 120)
    expect(list.asked.at(-1)).not.toHaveProperty('cursor')
    expect(names()).toEqual(['a 0 v1', 'a 1 v1', 'a 2 v1'])
    list.slow = false
    for (const answer of list.waiting) answer()
    await expect.poll(names).toEqual(['b 0 v1', 'b 1 v1', 'b 2 v1'])
    await expect.poll(() => rows.row(110)?.name).toBe('b 110 v1')
    expect(rows.row(50)?.name).toBe('b 50 v1')
  })

  it('are dropped when the next query fails, but kept when a refresh fails', async () => {
    const { list, rows } = await aReadyList({ whole: 1_000 })
    list.failing = true
    rows.refresh()
    await expect.poll(() => rows.state.value.error?.code).toBe('DISCONNECTED')
    expect(rows.row(0)?.name).toBe('all 0 v1')
    rows.ask({ filter: { text: 'a' }, sort: byName })
    await expect.poll(() => rows.state.value.phase).toBe('failed')
    expect(rows.row(0)).toBeUndefined()
    expect(rows.state.value).toMatchObject({ length: 0, count: null })
  })

  it('are asked for again by a retry after the first read failed', async () => {
    const { list, rows, names } = aList({ whole: 1_000, filtered: 0 })
    list.failing = true
    rows.ask({ filter: {}, sort: byName })
    await expect.poll(() => rows.state.value.phase).toBe('failed')
    list.failing = false
    rows.refresh()
    await expect.poll(() => rows.state.value.phase).toBe('ready')
    expect(names()[0]).toBe('all 0 v1')
  })

  it('are refreshed when the contacts are newer, and stay visible meanwhile', async () => {
    const { list, rows, names } = await aReadyList({ whole: 1_000 })
    rows.refresh(1)
    expect(list.asked).toHaveLength(1)
    list.version = 2
    list.slow = true
    rows.refresh(2)
    expect(names()[0]).toBe('all 0 v1')
    list.slow = false
    for (const answer of list.waiting) answer()
    await expect.poll(() => names()[0]).toBe('all 0 v2')
  })

  it('requested before a change are loaded again, even if the answer comes after it', async () => {
    const { list, rows, names } = await aReadyList({ whole: 1_000 })
    list.slow = true
    rows.refresh()
    await expect.poll(() => list.waiting.length).toBe(1)
    list.version = 2
    rows.refresh()
    list.slow = false
    for (const answer of list.waiting) answer()
    await expect.poll(() => names()[0]).toBe('all 0 v2')
  })

  it.each(['being refreshed', 'ready'])(
    'are not requested after the page is left while they are %s',
    async (how) => {
      const { list, rows } = await aReadyList({ whole: 1_000 })
      list.version = 2
      list.slow = true
      if (how === 'being refreshed') rows.refresh(2)
      rows.stop()
      for (const answer of list.waiting) answer()
      rows.refresh(3)
      rows.look(500, 520)
      await new Promise((resolve) => setImmediate(resolve))
      expect(list.asked).toHaveLength(how === 'ready' ? 1 : 2)
      expect(rows.state.value.error).toBeNull()
    },
  )

  it('of a filter that gained matches continue at the new end of the previous page', async () => {
    const { list, rows } = aList({ whole: 0, filtered: 250 })
    rows.ask({ filter: { text: 'a' }, sort: byName })
    await expect.poll(() => rows.state.value.length).toBe(pageRows + 1)
    rows.look(90, 120)
    await expect.poll(() => rows.state.value.length).toBe(2 * pageRows + 1)
    list.version = 2
    rows.refresh(2)
    await expect.poll(() => rows.row(110)?.name).toBe('a 110 v2')
    expect(rows.row(95)?.name).toBe('a 95 v2')
    rows.look(200, 240)
    await expect.poll(() => rows.state.value.length).toBe(250)
  })

  it('are loaded again when contacts changed during the first request', async () => {
    const { list, rows } = aList({ whole: 0, filtered: 3 })
    list.slow = true
    rows.ask({ filter: { text: 'a' }, sort: byName })
    await expect.poll(() => list.waiting.length).toBe(1)
    list.slow = false
    list.version = 2
    rows.refresh(2)
    list.waiting[0]!()
    await expect.poll(() => rows.row(0)?.name).toBe('a 0 v2')
  })

  it('of another query begin with the visible ones; the rest of the page follows', async () => {
    const { list, rows } = await aReadyList({ filtered: 250 })
    rows.look(0, 29)
    list.asked.length = 0
    rows.ask({ filter: { text: 'ab' }, sort: byName })
    await expect.poll(() => rows.row(0)?.name).toBe('ab 0 v1')
    expect(rows.row(29)?.name).toBe('ab 29 v1')
    expect(rows.row(30)).toBeUndefined()
    expect(rows.state.value.length).toBe(31)
    rows.look(0, 30)
    await expect.poll(() => rows.row(99)?.name).toBe('ab 99 v1')
    expect(list.asked.map(({ limit }) => limit)).toEqual([30, 70])
  })

  it('are counted when typing rests, not at each key', async () => {
    const { list, rows } = aList({ whole: 0, filtered: 250 })
    list.exact = false
    rows.ask({ filter: { text: 'a' }, sort: byName })
    await expect.poll(() => rows.state.value.count?.exact).toBe(true)
    rows.look(0, 29)
    list.counts = 0
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      for (const text of ['ab', 'abc']) {
        rows.ask({ filter: { text }, sort: byName })
        await expect.poll(() => rows.row(0)?.name).toBe(`${text} 0 v1`)
      }
      expect(list.counts).toBe(0)
      await vi.runAllTimersAsync()
      expect(rows.state.value.count).toEqual({ value: 250, exact: true })
      expect(list.counts).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('are complete when each answer has only a few of a page, or none', async () => {
    const { list, rows } = aList({ whole: 0, filtered: 250 })
    list.most = 30
    rows.ask({ filter: { text: 'a' }, sort: byName })
    await expect.poll(() => rows.state.value.length).toBe(pageRows + 1)
    rows.look(80, 110)
    await expect.poll(() => rows.state.value.length).toBe(2 * pageRows + 1)
    rows.look(190, 240)
    await expect.poll(() => rows.state.value.length).toBe(250)
    const ids = Array.from({ length: 250 }, (_row, at) => rows.row(at)?.id)
    expect(ids).toEqual(ids.map((_id, at) => at))
    list.version = 2
    rows.refresh(2)
    await expect.poll(() => rows.row(249)?.name).toBe('a 249 v2')
    expect(rows.row(190)?.name).toBe('a 190 v2')
    expect(rows.state.value.length).toBe(250)
  })

  it('are not requested forever when answers make no progress', async () => {
    const { list, rows } = aList({ whole: 0, filtered: 250 })
    list.stuck = true
    rows.ask({ filter: { text: 'a' }, sort: byName })
    await expect.poll(() => rows.state.value.phase).toBe('ready')
    await new Promise((resolve) => setImmediate(resolve))
    expect(list.asked.length).toBeLessThan(5)
  })

  it('get a new exact count after a change', async () => {
    const { list, rows } = aList({ whole: 0, filtered: 5_000 })
    list.exact = false
    rows.ask({ filter: { text: 'a' }, sort: byName })
    await expect.poll(() => rows.state.value.count).toEqual({ value: 5_000, exact: true })
    list.sizes.filtered = 5_001
    list.version = 2
    rows.refresh(2)
    await expect.poll(() => rows.state.value.count).toEqual({ value: 5_001, exact: true })
  })
})
