import { describe, expect, it } from 'vitest'
import type { OutboxFilter, OutboxItem, OutboxState } from '#contract/people/outbox.ts'
import { pageRows, readPage } from '../../../../../renderer/src/features/outbox/outbox-pages.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'
import { ordinaryOutbox, outboxItems, scriptedOutbox } from '../../../../helpers/scripted/outbox.ts'

/** Reads pages of an outbox in memory. */
function pagesOf(items: OutboxItem[]) {
  const outbox = scriptedOutbox({ ...ordinaryOutbox(), items })
  const calls: { filter: OutboxFilter }[] = []
  const client = {
    outbox: {
      list: async (input: never) => {
        calls.push(input)
        return await outbox.answers.list(input, undefined)
      },
    },
  } as unknown as Client
  const { signal } = new AbortController()
  return { read: (filter: OutboxFilter, cursor?: string) => readPage(client, filter, cursor, signal), calls }
}

const items = (count: number, stateOf: (index: number) => OutboxState) =>
  outboxItems(count, 1, 'b', 'create-contact', stateOf)
const ids = (rows: readonly OutboxItem[]) => rows.map(({ id }) => id)

describe('pages of outbox requests', () => {
  it('list unconfirmed requests first, each part newest first', async () => {
    const { read } = pagesOf(items(6, (at) => (at % 3 === 0 ? 'unknown' : 'done')))
    const page = await read({})
    expect(ids(page.items)).toEqual([4, 1, 6, 5, 3, 2])
    expect(page).toMatchObject({ nextCursor: null, total: 6 })
  })

  it.each([0, 300, pageRows, pageRows + 100])(
    'neither skip nor repeat any when %i of 1,300 are unconfirmed',
    async (unconfirmed) => {
      const { read } = pagesOf(items(1_300, (at) => (at < unconfirmed ? 'unknown' : 'queued')))
      const rows: OutboxItem[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await read({}, cursor)
        expect(page.total).toBe(1_300)
        rows.push(...page.items)
        cursor = page.nextCursor
      }
      expect(rows).toHaveLength(1_300)
      expect(new Set(ids(rows)).size).toBe(1_300)
      expect(rows.slice(0, unconfirmed).every(({ state }) => state === 'unknown')).toBe(true)
    },
  )

  it('request nothing for a part that the states exclude', async () => {
    const { read, calls } = pagesOf(items(4, () => 'queued'))
    const page = await read({ states: ['queued'] })
    expect(calls).toMatchObject([{ filter: { states: ['queued'] } }])
    expect(page).toMatchObject({ total: 4, nextCursor: null })
  })

  it('fail with the error of the core', async () => {
    const client = { outbox: { list: () => Promise.reject(new Error('gone')) } } as unknown as Client
    await expect(readPage(client, {}, undefined, new AbortController().signal)).rejects.toThrow('gone')
  })
})
