import { describe, expect, it } from 'vitest'
import type { OutboxItem, OutboxState } from '#contract/outbox.ts'
import { createItemList } from '../../../../../renderer/src/features/outbox/item-list.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'
import { ordinaryOutbox, outboxItems, scriptedOutbox } from '../../../../helpers/scripted/outbox.ts'

/** A list over an outbox in memory whose items a test sets. */
function listOver(items: OutboxItem[]) {
  const outbox = scriptedOutbox({ ...ordinaryOutbox(), items })
  const calls: unknown[] = []
  const client = {
    outbox: {
      list: async (input: never) => {
        calls.push(input)
        return await outbox.answers.list(input, undefined)
      },
    },
  } as unknown as Client
  return { list: createItemList(client), setItems: outbox.setItems, calls }
}

const items = (count: number, stateOf: (index: number) => OutboxState) =>
  outboxItems(count, 1, 'b', 'create-contact', stateOf)
const ids = (rows: readonly OutboxItem[]) => rows.map(({ id }) => id)

describe('the list of outbox items', () => {
  it('stands unknown outcomes before everything else, each newest first', async () => {
    const { list } = listOver(items(6, (at) => (at % 3 === 0 ? 'unknown' : 'done')))
    await list.ask({})
    expect(ids(list.state.value.rows)).toEqual([4, 1, 6, 5, 3, 2])
    expect(list.state.value).toMatchObject({ phase: 'ready', unknownRows: 2, total: 6, more: 'none' })
  })

  it('reads on as it is scrolled, without a row missing or twice', async () => {
    const { list } = listOver(items(700, (at) => (at < 300 ? 'unknown' : 'queued')))
    await list.ask({})
    // Nothing of the second part stands below a first part that is not whole.
    expect(list.state.value.rows).toHaveLength(200)
    while (list.state.value.more === 'there') await list.loadMore()
    expect(new Set(ids(list.state.value.rows)).size).toBe(700)
    expect(list.state.value.rows.slice(0, 300).every(({ state }) => state === 'unknown')).toBe(true)
  })

  it('asks nothing of a part whose states are filtered away', async () => {
    const { list, calls } = listOver(items(4, () => 'queued'))
    await list.ask({ states: ['queued'] })
    expect(calls).toMatchObject([{ filter: { states: ['queued'] } }])
    expect(list.state.value.rows).toHaveLength(4)
  })

  it('takes up changes of what is in sight, and new items at the top', async () => {
    const first = items(500, () => 'queued')
    const { list, setItems } = listOver(first)
    await list.ask({ states: ['queued', 'done'] })
    await list.loadMore()
    setItems([
      ...first.map((item) => (item.id === 499 ? { ...item, state: 'done' as const } : item)),
      ...outboxItems(3, 501, 'b', 'create-contact', () => 'queued'),
    ])
    await list.refresh(0, 30)
    const { rows } = list.state.value
    expect(ids(rows).slice(0, 5)).toEqual([503, 502, 501, 500, 499])
    expect(rows[4]?.state).toBe('done')
    expect(ids(rows)).toEqual(Array.from({ length: rows.length }, (_id, at) => 503 - at))
  })

  it('lets an item that no longer matches go', async () => {
    const first = items(10, () => 'unknown')
    const { list, setItems } = listOver(first)
    await list.ask({ states: ['unknown'] })
    setItems(first.map((item) => (item.id === 5 ? { ...item, state: 'done' as const } : item)))
    await list.refresh(0, 10)
    expect(ids(list.state.value.rows)).not.toContain(5)
    expect(list.state.value.total).toBe(9)
  })

  it('does not show the answer for a filter that was left', async () => {
    const waiting: PromiseWithResolvers<object>[] = []
    const list = createItemList({
      outbox: {
        list: () => {
          const answer = Promise.withResolvers<object>()
          waiting.push(answer)
          return answer.promise
        },
      },
    } as unknown as Client)
    const answer = (id: number) => ({ items: items(id, () => 'done').slice(-1), nextCursor: null, total: 1 })
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
    void list.ask({ states: ['done'] })
    await turn()
    const now = list.ask({ states: ['rejected'] })
    await turn()
    waiting[0]!.resolve(answer(7))
    await turn()
    expect(list.state.value).toMatchObject({ phase: 'loading', rows: [] })
    waiting[1]!.resolve(answer(8))
    await now
    expect(ids(list.state.value.rows)).toEqual([8])
  })

  it('keeps its rows when a reading fails, and says why', async () => {
    const { list } = listOver(items(3, () => 'queued'))
    await list.ask({})
    const failing = createItemList({
      outbox: { list: () => Promise.reject(new Error('gone')) },
    } as unknown as Client)
    await failing.ask({})
    expect(failing.state.value).toMatchObject({ phase: 'failed', rows: [], error: { code: 'INTERNAL' } })
  })
})
