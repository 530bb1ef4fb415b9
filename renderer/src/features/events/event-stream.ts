import type { ErrorView } from '#contract/define.ts'
import type { EventBatch, EventFilter, EventRow } from '#contract/live/events.ts'
import { shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client, Rpc } from '../../rpc/rpc.ts'
import { mergeNewest, patchRows } from './event-rows.ts'

/** Rows kept while new ones arrive at the top. Older ones are a page away. Enough for 60 screens. */
export const liveRowLimit = 2_000
/** Rows kept while paging back. Beyond this, the operator continues from a point in time, so that memory stays bounded. */
export const loadedRowLimit = 20_000
/** Rows per request. */
export const pageSize = 200
/** Time limit of the first answer, milliseconds; an unfinished search then continues in steps. */
const patienceMs = 60
/** Time limit of each further step. */
const pieceMs = 250

/** State of the list. */
type StreamPhase =
  | { kind: 'idle' }
  | { kind: 'loading' }
  | { kind: 'ready' }
  | { kind: 'failed'; error: ErrorView }

/** State of paging back. `full` means that `loadedRowLimit` is reached. */
export type OlderPhase =
  | { kind: 'more' }
  | { kind: 'loading' }
  | { kind: 'end' }
  | { kind: 'full' }
  | { kind: 'failed'; error: ErrorView }

export interface EventStreamPorts {
  rpc: { client: Pick<Client, 'events'>; subscribe: Rpc['subscribe'] }
  now?: () => number
  /** Runs `apply` before the next frame; several calls before it run once. */
  schedule: (apply: () => void) => void
}

/**
 * The stream of one filter: stored rows and new arrivals as one list, newest first. Joins `events.search` and `events.watch` without gaps or repeats: the page says up to which seq it is complete, the watch continues
 * there, and each batch moves that position, which the next connection uses after a break.
 */
export function createEventStream({ rpc, schedule, now = Date.now }: EventStreamPorts) {
  const phase = shallowRef<StreamPhase>({ kind: 'idle' })
  const older = shallowRef<OlderPhase>({ kind: 'end' })
  /** Newest first, without a gap between its first and last row. */
  const rows = shallowRef<readonly EventRow[]>([])
  /** Arrived and counted, but not in `rows` yet, because the view is held. */
  const heldCount = shallowRef(0)
  /** Why new arrivals are missing now; null while they arrive. */
  const lost = shallowRef<ErrorView | null>(null)
  /** When the core last responded, ISO time: the age of the list while nothing arrives. */
  const lastAnswerAt = shallowRef<string | null>(null)
  const storedTotal = shallowRef(0)
  /** Null while counting. */
  const matchingTotal = shallowRef<number | null>(0)
  /** The time down to which a continuing search has read; null otherwise. */
  const searchedBackTo = shallowRef<string | null>(null)

  let filter: EventFilter = {}
  let session = new AbortController()
  let afterSeq = 0
  let newestSeq = 0
  let olderCursor: number | null = null
  let held = false
  /** Arrivals of a held view, newest first; `heldCut` when there were too many to keep. */
  let heldRows: readonly EventRow[] = []
  let heldCut = false
  let arrived: EventRow[] = []
  let changed: EventRow[] = []
  let totals: { stored: number; matching: number | null } | null = null

  let starts = 0

  /** Shows a filter from the newest row, also after a `restart`. Returns its stop. A second start ends the first. */
  function start(nextFilter: EventFilter): () => void {
    const mine = ++starts
    begin(nextFilter)
    return () => {
      if (mine === starts) session.abort()
    }
  }

  function begin(nextFilter: EventFilter): void {
    session.abort()
    const mine = new AbortController()
    session = mine
    filter = nextFilter
    phase.value = { kind: 'loading' }
    lost.value = null
    arrived = []
    changed = []
    totals = null
    searchedBackTo.value = null
    let begun = false

    const unsubscribe = rpc.subscribe<EventBatch>(
      async (client, signal) => {
        if (!begun) begun = await loadNewest(client, mine.signal)
        return client.events.watch({ filter: nextFilter, afterSeq }, { signal })
      },
      {
        onItem: (batch) => take(batch, mine.signal),
        onLost(error) {
          if (mine.signal.aborted) return
          if (begun) lost.value = error
          else fail(error)
        },
      },
    )
    mine.signal.addEventListener('abort', unsubscribe, { once: true })
  }

  async function loadNewest(client: Client, signal: AbortSignal): Promise<boolean> {
    const page = await client.events.search({ filter, limit: pageSize, patienceMs }, { signal })
    if (signal.aborted) return false
    afterSeq = page.upToSeq
    newestSeq = page.upToSeq
    rows.value = page.items
    dropHeld()
    setOlder(page.nextCursor)
    storedTotal.value = page.storedTotal
    matchingTotal.value = page.matchingTotal
    lastAnswerAt.value = page.asOf
    phase.value = { kind: 'ready' }
    searchedBackTo.value = page.searchedBackTo ?? null
    if (page.searchedBackTo !== undefined) void loadOlder()
    return true
  }

  function fail(error: ErrorView): void {
    rows.value = []
    dropHeld()
    setOlder(null)
    phase.value = { kind: 'failed', error }
  }

  function take(batch: EventBatch, signal: AbortSignal): void {
    if (signal.aborted) return
    if (batch.upToSeq < afterSeq) {
      // The stream’s record was replaced (restored or rebuilt): nothing here can be trusted.
      begin(filter)
      return
    }
    // A search interrupted by a lost connection continues when it is back.
    if (lost.value && older.value.kind === 'failed' && searchedBackTo.value !== null) void loadOlder()
    lost.value = null
    lastAnswerAt.value = new Date(now()).toISOString()
    afterSeq = batch.upToSeq
    for (const row of batch.items) {
      if (row.seq <= newestSeq) continue
      newestSeq = row.seq
      arrived.push(row)
    }
    changed.push(...batch.changed)
    totals = { stored: batch.storedTotal, matching: batch.matchingTotal }
    // A hidden window draws no frames; the pending events then limit themselves.
    if (arrived.length + changed.length >= liveRowLimit) apply()
    else schedule(apply)
  }

  function apply(): void {
    if (totals) {
      storedTotal.value = totals.stored
      matchingTotal.value = totals.matching
      totals = null
    }
    if (changed.length > 0) {
      rows.value = patchRows(rows.value, changed)
      heldRows = patchRows(heldRows, changed)
      arrived = arrived.map((row) => changed.findLast((item) => item.seq === row.seq) ?? row)
      changed = []
    }
    if (arrived.length === 0) return
    const fresh = arrived
    arrived = []
    if (held) {
      heldCut ||= heldRows.length + fresh.length > liveRowLimit
      heldRows = mergeNewest(heldRows, fresh, liveRowLimit)
      heldCount.value += fresh.length
    } else {
      show(mergeNewest(rows.value, fresh, liveRowLimit), rows.value.length + fresh.length)
    }
  }

  /** Shows `next`, and notes that older rows are a page away if some of `available` were dropped. */
  function show(next: readonly EventRow[], available: number): void {
    rows.value = next
    if (next.length < available) setOlder(next.at(-1)?.seq ?? null)
  }

  /** Keeps arrivals out of `rows` until `release`. */
  function hold(): void {
    held = true
  }

  /** Adds what arrived meanwhile. */
  function release(): void {
    apply()
    held = false
    if (heldCut) {
      // More arrived than was kept: loads the newest page; the rest is a page away like all history.
      restart()
      return
    }
    if (heldRows.length === 0) return
    show([...heldRows, ...rows.value].slice(0, liveRowLimit), heldRows.length + rows.value.length)
    dropHeld()
  }

  function dropHeld(): void {
    heldRows = []
    heldCut = false
    heldCount.value = 0
  }

  /** Reloads the current filter from the newest row. */
  function restart(): void {
    if (phase.value.kind !== 'idle') begin(filter)
  }

  function setOlder(cursor: number | null): void {
    olderCursor = cursor
    older.value = { kind: cursor === null ? 'end' : 'more' }
  }

  /** Appends the next older page, unless one is loading or none is left. */
  async function loadOlder(): Promise<void> {
    const cursor = olderCursor
    const { signal } = session
    if (cursor === null || phase.value.kind !== 'ready' || older.value.kind === 'loading') return
    if (rows.value.length >= loadedRowLimit) {
      older.value = { kind: 'full' }
      return
    }
    older.value = { kind: 'loading' }
    const targetRows = rows.value.length + pageSize
    try {
      while (olderCursor !== null) {
        const from = olderCursor
        const page = await rpc.client.events.search(
          { filter, limit: pageSize, cursor: from, patienceMs: pieceMs },
          { signal },
        )
        // Rows dropped at the bottom meanwhile moved the cursor: this page would not join them.
        if (signal.aborted || olderCursor !== from) return
        const lastSeq = rows.value.at(-1)?.seq ?? Infinity
        rows.value = [...rows.value, ...page.items.filter((row) => row.seq < lastSeq)]
        olderCursor = page.nextCursor
        searchedBackTo.value = page.searchedBackTo ?? null
        if (page.searchedBackTo === undefined || rows.value.length >= targetRows) break
      }
      setOlder(olderCursor)
      searchedBackTo.value = null
    } catch (cause) {
      if (signal.aborted) return
      // The progress stays visible: the search continues from there.
      older.value = { kind: 'failed', error: toErrorView(cause) }
    }
  }

  return {
    phase,
    older,
    rows,
    heldCount,
    lost,
    lastAnswerAt,
    storedTotal,
    matchingTotal,
    searchedBackTo,
    start,
    restart,
    hold,
    release,
    loadOlder,
  }
}

export type EventStream = ReturnType<typeof createEventStream>
