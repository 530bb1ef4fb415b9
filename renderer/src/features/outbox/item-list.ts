import type { ErrorView } from '#contract/define.ts'
import type { OutboxFilter, OutboxItem } from '#contract/outbox.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { createItemPages } from './item-pages.ts'
import { partsOf } from './outbox-filter.ts'

/** Most rows kept in the window; beyond them the filter has to be narrowed. */
export const loadedRowLimit = 20_000

/** The list as it is shown. Rows of unknown outcome stand first; `unknownRows` of them are loaded. */
export interface ItemListState {
  phase: 'loading' | 'ready' | 'failed'
  rows: readonly OutboxItem[]
  unknownRows: number
  total: number
  asOf: string | null
  more: 'none' | 'there' | 'loading' | 'full'
  error: ErrorView | null
}

/** Items of the outbox that match a filter, read as they are scrolled, and read again as they change. */
export interface ItemList {
  state: Readonly<ShallowRef<ItemListState>>
  /** Another filter: the rows of the one before stay until the answer is here, and go when there is none. */
  ask(filter: OutboxFilter): Promise<void>
  loadMore(): Promise<void>
  /** Reads again what is in sight, rows `first` to `last`. Calls that come meanwhile are made one more. */
  refresh(first: number, last: number): Promise<void>
}

export function createItemList(client: Pick<Client, 'outbox'>): ItemList {
  const state = shallowRef<ItemListState>({
    phase: 'loading',
    rows: [],
    unknownRows: 0,
    total: 0,
    asOf: null,
    more: 'none',
    error: null,
  })
  let parts: { unknown: boolean; pages: ReturnType<typeof createItemPages> }[] = []
  let asked = new AbortController()
  let turn: Promise<void> = Promise.resolve()
  let waiting: { first: number; last: number } | null = null
  /** The rows shown are those of a filter that was left. */
  let isFormer = false

  function show(): void {
    // A part shows once the one above it is whole, so that nothing is put in above what is being read.
    const whole = parts.findIndex(({ pages }) => pages.hasMore())
    const shown = whole < 0 ? parts : parts.slice(0, whole + 1)
    const rows = shown.flatMap(({ pages }) => pages.rows())
    isFormer = false
    const there = whole >= 0
    state.value = {
      phase: 'ready',
      rows,
      unknownRows: shown
        .filter(({ unknown }) => unknown)
        .reduce((sum, { pages }) => sum + pages.rows().length, 0),
      total: parts.reduce((sum, { pages }) => sum + pages.total(), 0),
      asOf: parts.at(-1)?.pages.asOf() ?? null,
      more: !there ? 'none' : rows.length >= loadedRowLimit ? 'full' : 'there',
      error: null,
    }
  }

  /** One reading at a time, and none for a filter that was left. */
  function inTurn(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = asked
    turn = turn.then(async () => {
      if (signal.aborted) return
      try {
        await read(signal)
        if (!signal.aborted) show()
      } catch (cause) {
        if (signal.aborted) return
        state.value = {
          ...state.value,
          ...(isFormer ? { rows: [], unknownRows: 0, total: 0, asOf: null, more: 'none' } : {}),
          phase: 'failed',
          error: toErrorView(cause),
        }
      }
    })
    return turn
  }

  function ask(filter: OutboxFilter): Promise<void> {
    asked.abort()
    asked = new AbortController()
    turn = Promise.resolve()
    waiting = null
    isFormer = true
    state.value = { ...state.value, phase: 'loading' }
    parts = partsOf(filter).map((part) => ({
      unknown: part.states?.[0] === 'unknown',
      pages: createItemPages(client, part),
    }))
    const mine = parts
    // The first page of each: their totals are wanted at once, and the second begins where the first ends.
    return inTurn(async (signal) => {
      for (const { pages } of mine) await pages.loadMore(signal)
    })
  }

  async function loadMore(): Promise<void> {
    if (state.value.phase !== 'ready' || state.value.more !== 'there') return
    state.value = { ...state.value, more: 'loading' }
    await inTurn(async (signal) => {
      await parts.find(({ pages }) => pages.hasMore())?.pages.loadMore(signal)
    })
  }

  async function refresh(first: number, last: number): Promise<void> {
    const isWaiting = waiting !== null
    waiting = { first, last }
    if (isWaiting) return
    await inTurn(async (signal) => {
      const sight = waiting ?? { first, last }
      waiting = null
      let begins = 0
      for (const { pages } of parts) {
        const length = pages.rows().length
        await pages.refresh(sight.first - begins, sight.last - begins, signal)
        begins += length
      }
    })
  }

  return { state, ask, loadMore, refresh }
}
