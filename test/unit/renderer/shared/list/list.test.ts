import { MutationObserver, type QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { describe, expect, test } from 'vitest'
import { createApp, effectScope, nextTick, shallowRef } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import * as z from 'zod'
import { addressText, useAddressFilter } from '../../../../../renderer/src/shared/list/use-address-filter.ts'
import { createQueryClient } from '../../../../../renderer/src/shared/query/query-client.ts'
import { useListQuery } from '../../../../../renderer/src/shared/list/use-list-query.ts'
import { fittingColumns, tracksOf } from '../../../../../renderer/src/shared/table/columns.ts'

const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

const createTestApp = () => createApp({})

/** Runs a composable as a component would. */
function inApp<T>(client: QueryClient, use: () => T): { value: T; stop(): void } {
  const app = createTestApp().use(VueQueryPlugin, { queryClient: client })
  // In a browser the plugin does this.
  client.mount()
  const scope = effectScope()
  const value = app.runWithContext(() => scope.run(use)!)
  return {
    value,
    stop() {
      scope.stop()
      client.unmount()
    },
  }
}

test('combines changes made before the address is updated', async () => {
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/', component: {} }],
  })
  await router.push('/?day=3')
  const schema = z.object({ text: addressText, day: addressText, which: addressText })
  const app = createTestApp().use(router)
  const { filter, change } = app.runWithContext(() => useAddressFilter(schema))
  change({ text: 'ada' })
  change({ which: 'past', day: '' })
  await settled()
  expect(filter.value).toEqual({ text: 'ada', which: 'past', day: '' })
  expect(router.currentRoute.value.query).toEqual({ text: 'ada', which: 'past' })
  await router.push('/')
  change({ day: '4' })
  await settled()
  expect(router.currentRoute.value.query).toEqual({ day: '4' })
})

test('fails a write at once while disconnected, and does not send it later', async () => {
  const state = shallowRef<'open' | 'reconnecting'>('reconnecting')
  const client = createQueryClient({ state } as never)
  let sent = 0
  const mutationFn = () => (sent++, Promise.reject(new Error('lost')))
  void new MutationObserver(client, { mutationFn }).mutate().catch(() => undefined)
  await settled()
  expect(sent).toBe(1)
  state.value = 'open'
  await settled()
  expect(sent).toBe(1)
})

describe('columns', () => {
  const columns = [
    { id: 'number', width: 140 },
    { id: 'reason', width: 100, grow: 1 },
    { id: 'added', width: 140, hide: 1 },
    { id: 'synced', width: 140, hide: 2 },
  ]
  const idsAt = (widthPx: number) => fittingColumns(columns, widthPx).map(({ id }) => id)

  test('hide by priority when space runs out, except pinned ones', () => {
    // The widths, 12 px between columns, 16 px at each edge.
    expect(idsAt(588)).toEqual(['number', 'reason', 'added', 'synced'])
    expect(idsAt(587)).toEqual(['number', 'reason', 'added'])
    expect(idsAt(435)).toEqual(['number', 'reason'])
    expect(idsAt(10)).toEqual(['number', 'reason'])
  })

  test('share spare space where they may grow', () => {
    expect(tracksOf(columns.slice(0, 2))).toBe('140px minmax(100px, 1fr)')
  })

  test('leave twice the gap between figures and a text beside them', () => {
    const [text, figure] = [{ width: 100 }, { width: 60, numeric: true }]
    expect(tracksOf([text, figure, figure, text, figure])).toBe('100px 60px 72px 100px 60px')
    expect(fittingColumns([figure, { ...text, hide: 1 }], 215)).toHaveLength(1)
    expect(fittingColumns([figure, { ...text, hide: 1 }], 216)).toHaveLength(2)
  })
})

describe('a paginated list', () => {
  const state = shallowRef<'open' | 'reconnecting'>('open')
  const client = () => createQueryClient({ state } as never)

  function listOver(
    read: (
      key: string,
      cursor: number | undefined,
    ) => Promise<{ items: string[]; nextCursor: number | null }>,
  ) {
    const key = shallowRef('a')
    const opened = inApp(client(), () =>
      useListQuery({
        key: () => ['here', key.value],
        read: (cursor: number | undefined) => read(key.value, cursor),
      }),
    )
    return { key, list: opened.value, stop: opened.stop }
  }

  const twoPages = (key: string, cursor: number | undefined) =>
    Promise.resolve({ items: [`${key}${cursor ?? 0}`], nextCursor: cursor === undefined ? 1 : null })

  test('continues at the cursor, updates its loaded pages, and starts over at the first', async () => {
    const asked: unknown[] = []
    const { list, stop } = listOver((key, cursor) => (asked.push(cursor), twoPages(key, cursor)))
    await settled()
    list.loadMore()
    await settled()
    expect(list.rows.value).toEqual(['a0', 'a1'])
    expect(list.hasMore.value).toBe(false)
    await list.update()
    expect(list.rows.value).toEqual(['a0', 'a1'])
    list.refetch()
    await settled()
    expect(list.rows.value).toEqual(['a0'])
    expect(asked).toEqual([undefined, 1, undefined, 1, undefined])
    stop()
  })

  test('loads more after a refetch that was in progress', async () => {
    const { list, stop } = listOver(twoPages)
    await settled()
    list.refetch()
    list.loadMore()
    await settled()
    await settled()
    expect(list.rows.value).toEqual(['a0', 'a1'])
    stop()
  })

  test('loads a page that was requested before a change, and follows the change after it', async () => {
    let version = 1
    const open: (() => void)[] = []
    const { list, stop } = listOver(async (key, cursor) => {
      const items = [`${key}${cursor ?? 0} v${version}`]
      await new Promise<void>((resolve) => open.push(resolve))
      return { items, nextCursor: cursor === undefined ? 1 : null }
    })
    const answer = async () => {
      await settled()
      open.shift()!()
      await settled()
    }
    await answer()
    list.loadMore()
    version = 2
    list.update()
    await answer()
    expect(list.rows.value).toEqual(['a0 v1', 'a1 v1'])
    // Under steady traffic each change comes before the last one is read.
    for (version = 3; version <= 4; version++) {
      list.update()
      await answer()
      list.update()
      await answer()
      expect(list.rows.value.map((row) => Number(row.at(-1)) >= version - 1)).toEqual([true, true])
    }
    stop()
  })

  test('keeps its rows until the next answer, and drops them when that fails', async () => {
    const { key, list, stop } = listOver((of, cursor) =>
      of === 'c' ? Promise.reject(new Error('no')) : twoPages(of, cursor),
    )
    await settled()
    key.value = 'b'
    await nextTick()
    expect(list.rows.value).toEqual(['a0'])
    await settled()
    expect(list.rows.value).toEqual(['b0'])
    key.value = 'c'
    await settled()
    await settled()
    expect(list.rows.value).toEqual([])
    expect(list.error.value).toBeInstanceOf(Error)
    stop()
  })

  test('is requested once when it fails, keeps its rows, and is read again when the core answers', async () => {
    let isUp = true
    let asked = 0
    const { list, stop } = listOver((key, cursor) => {
      asked++
      return isUp ? twoPages(key, cursor) : Promise.reject(new Error('lost'))
    })
    await settled()
    isUp = false
    state.value = 'reconnecting'
    list.refetch()
    await settled()
    expect(list.rows.value).toEqual(['a0'])
    expect(list.error.value).toBeInstanceOf(Error)
    expect(asked).toBe(2)
    isUp = true
    state.value = 'open'
    await settled()
    await settled()
    expect(list.error.value).toBeNull()
    expect(asked).toBe(3)
    stop()
  })
})
