import type { ErrorView, Freshness } from '#contract/define.ts'
import type { Message } from '#contract/domain.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { type ListMoves, movedBy, unmoved } from './list-moves.ts'

/** Spec, Limits: the largest page. */
const perPage = 100
/** Messages that are loaded at most: the list has no filter, so reading on without end finds nothing sooner. */
export const loadedMax = 5_000

/** A last answer that was given because the service is slow is asked for again after this time, so often at most. Milliseconds. */
const askAgainMs = 1_500
const askAgainMax = 8

/** The service's list as far as it was loaded. */
export interface MessageListState {
  phase: 'idle' | 'loading' | 'ready' | 'failed'
  rows: readonly Message[]
  /** What the service gave as total last. */
  total: number
  /** Of the oldest page that is shown. */
  freshness: Freshness | null
  error: ErrorView | null
  more: 'none' | 'there' | 'loading' | 'failed' | 'full'
  /** How the list moved while its pages were read; null before the first one. */
  moves: ListMoves | null
}

/**
 * Reads the list page by page. A message that moved to another page meanwhile is shown once, as it was read last; that the list
 * moved, so that some may be missing, is in `moves`.
 */
export function createMessageList(client: Pick<Client, 'messages'>): {
  state: Readonly<ShallowRef<MessageListState>>
  /** Reads it anew from its first page; the rows stay until the answer is here. */
  restart(): Promise<void>
  loadMore(): Promise<void>
  /** Gives up what is under way. */
  end(): void
  /** Puts a newer record in the place of the one that is shown. */
  know(record: Message): void
  /** What a message is now, where only that was read. */
  setStatus(id: string, status: string): void
} {
  const empty: MessageListState = {
    phase: 'idle',
    rows: [],
    total: 0,
    freshness: null,
    error: null,
    more: 'none',
    moves: null,
  }
  const state: ShallowRef<MessageListState> = shallowRef(empty)
  let page = 0
  /** Messages of a page, as the first one came: a service may give fewer than it was asked for. */
  let pageSize = perPage
  let asked = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function read(next: number, signal: AbortSignal): Promise<void> {
    const answer = await client.messages.list({ page: next, perPage }, { signal })
    if (signal.aborted) return
    const before = next === 1 ? [] : state.value.rows
    const rows = new Map(before.map((row) => [row.id, row]))
    const again = answer.items.filter(({ id }) => rows.has(id)).length
    for (const item of answer.items) rows.set(item.id, item)
    const { moves } = state.value
    page = next
    if (next === 1) pageSize = answer.items.length || perPage
    const isWhole = answer.items.length === 0 || (answer.items.length < pageSize && rows.size >= answer.total)
    const isBeyond = page * pageSize >= answer.total
    state.value = {
      phase: 'ready',
      rows: [...rows.values()],
      total: answer.total,
      freshness: next === 1 ? answer.freshness : older(state.value.freshness, answer.freshness),
      error: null,
      more: isWhole || isBeyond ? 'none' : rows.size >= loadedMax ? 'full' : 'there',
      moves:
        next === 1 || moves === null ? unmoved(answer.total) : movedBy(moves, { total: answer.total, again }),
    }
  }

  async function restart(again: number): Promise<void> {
    clearTimeout(timer)
    asked.abort()
    const mine = new AbortController()
    asked = mine
    state.value = { ...state.value, phase: 'loading' }
    try {
      await read(1, mine.signal)
    } catch (cause) {
      if (!mine.signal.aborted) state.value = { ...state.value, phase: 'failed', error: toErrorView(cause) }
      return
    }
    const { freshness } = state.value
    const isStillAsked = freshness?.source === 'cache' && freshness.error === null
    if (isStillAsked && again < askAgainMax && !mine.signal.aborted)
      timer = setTimeout(() => void restart(again + 1), askAgainMs)
  }

  function replace(id: string, change: (row: Message) => Message): void {
    if (!state.value.rows.some((row) => row.id === id)) return
    state.value = {
      ...state.value,
      rows: state.value.rows.map((row) => (row.id === id ? change(row) : row)),
    }
  }

  return {
    state,
    restart: () => restart(0),
    async loadMore() {
      const { phase, more } = state.value
      if (phase !== 'ready' || (more !== 'there' && more !== 'failed')) return
      const { signal } = asked
      state.value = { ...state.value, more: 'loading' }
      try {
        await read(page + 1, signal)
      } catch (cause) {
        if (!signal.aborted) state.value = { ...state.value, more: 'failed', error: toErrorView(cause) }
      }
    },
    end() {
      clearTimeout(timer)
      asked.abort()
    },
    know: (record) => replace(record.id, () => record),
    setStatus: (id, status) => replace(id, (row) => ({ ...row, status })),
  }
}

/** The age of what is made of both: the older one's, and not live when either is not. */
function older(a: Freshness | null, b: Freshness): Freshness {
  if (a === null) return b
  if (a.source !== b.source) return a.source === 'cache' ? a : b
  return Date.parse(a.asOf) <= Date.parse(b.asOf) ? a : b
}
