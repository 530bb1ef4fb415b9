import type { EventBatch, EventFilter, EventRow } from '#contract/live/events.ts'
import type { EventStreamPorts } from '../../../../../renderer/src/features/events/event-stream.ts'

const startMs = Date.UTC(2026, 0, 5, 14, 0, 0)

/** A stored delivery report for tests: arrives `seq` seconds after 14:00:00. */
export function row(seq: number, over: Partial<EventRow> = {}): EventRow {
  return {
    seq,
    kind: 'dlr',
    messageId: `m-${seq}`,
    status: 'delivered',
    errorCode: null,
    number: '+447700900001',
    ownNumber: null,
    content: null,
    serviceTime: new Date(startMs + seq * 1_000 - 40).toISOString(),
    receivedAt: new Date(startMs + seq * 1_000).toISOString(),
    copies: 1,
    verdict: 'signed',
    quarantineReason: null,
    optOut: false,
    ...over,
  }
}

/**
 * The core’s side of the events contract over rows in memory: search pages by seq, watch answers at once and then per `push`. The test
 * can break streams, hold or fail searches, and draws frames only with `frame()`.
 */
export function createEventRecord(stored: EventRow[] = []) {
  let rows = stored
  let frames: (() => void)[] = []
  let searchFailure: unknown
  let searchGate: Promise<void> | undefined
  const opened: { filter: EventFilter; afterSeq: number }[] = []
  const streams = new Set<{ wake(): void; breakWith(cause: unknown): void }>()
  const subscriptions = new Set<() => void>()
  let changed: EventRow[] = []
  let overlap = 0
  let rowsPerSearch = Infinity

  const matches = (filter: EventFilter) => (item: EventRow) =>
    !filter.statuses || filter.statuses.includes(item.status ?? '')
  const upToSeq = () => rows.at(-1)?.seq ?? 0

  const events = {
    async search({
      filter,
      limit = 100,
      cursor,
      patienceMs,
    }: {
      filter: EventFilter
      limit?: number
      cursor?: number
      patienceMs?: number
    }) {
      await searchGate
      if (searchFailure) throw searchFailure
      const fitting = rows.filter(matches(filter))
      const before = rows.filter((item) => cursor === undefined || item.seq < cursor).toReversed()
      const looked = patienceMs === undefined ? before : before.slice(0, rowsPerSearch)
      if (looked.length < before.length) {
        const { seq, receivedAt } = looked.at(-1)!
        return {
          items: looked.filter(matches(filter)),
          nextCursor: seq,
          searchedBackTo: receivedAt,
          matchingTotal: null,
          storedTotal: rows.length,
          upToSeq: upToSeq(),
          asOf: new Date(startMs).toISOString(),
        }
      }
      const older = before.filter(matches(filter))
      const items = older.slice(0, limit)
      return {
        items,
        nextCursor: older.length > limit ? items.at(-1)!.seq : null,
        matchingTotal: fitting.length,
        storedTotal: rows.length,
        upToSeq: upToSeq(),
        asOf: new Date(startMs).toISOString(),
      }
    },
    async watch(
      { filter, afterSeq }: { filter: EventFilter; afterSeq: number },
      { signal }: { signal: AbortSignal },
    ) {
      opened.push({ filter, afterSeq })
      return batches(filter, afterSeq, signal)
    },
  }

  async function* batches(
    filter: EventFilter,
    afterSeq: number,
    signal: AbortSignal,
  ): AsyncGenerator<EventBatch> {
    let sent = afterSeq - overlap
    let broken: unknown
    let wake = () => {}
    const stream = {
      wake: () => wake(),
      breakWith(cause: unknown) {
        broken = cause
        wake()
      },
    }
    streams.add(stream)
    signal.addEventListener('abort', () => wake(), { once: true })
    try {
      while (!signal.aborted) {
        if (broken) throw broken
        const items = rows.filter((item) => item.seq > sent).filter(matches(filter))
        sent = upToSeq()
        const news = changed
        changed = []
        yield {
          items,
          changed: news,
          upToSeq: sent,
          storedTotal: rows.length,
          matchingTotal: rows.filter(matches(filter)).length,
        }
        if (sent === upToSeq() && !broken && !signal.aborted)
          await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      streams.delete(stream)
    }
  }

  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

  const ports: EventStreamPorts = {
    rpc: {
      client: { events } as never,
      subscribe(open, handlers) {
        const stopping = new AbortController()
        subscriptions.add(stop)
        void (async () => {
          while (!stopping.signal.aborted) {
            try {
              for await (const item of await open({ events } as never, stopping.signal)) {
                if (stopping.signal.aborted) return
                handlers.onItem(item)
              }
            } catch {
              if (stopping.signal.aborted) return
              handlers.onLost?.({ code: 'DISCONNECTED', retryable: true, data: {} })
            }
            await settle()
            if (searchFailure) return
          }
        })()
        function stop() {
          subscriptions.delete(stop)
          stopping.abort()
        }
        return stop
      },
    },
    schedule(apply) {
      if (!frames.includes(apply)) frames.push(apply)
    },
  }

  return {
    ports,
    /** Where each stream began, oldest first. */
    opened,
    /** Subscriptions that were not stopped. */
    subscriptions,
    settle,
    /** Delivers everything, then draws one frame. */
    async frame() {
      for (let turn = 0; turn < 4; turn++) await settle()
      const due = frames
      frames = []
      for (const apply of due) apply()
    },
    push(...items: EventRow[]) {
      rows = [...rows, ...items]
      for (const stream of streams) stream.wake()
    },
    change(item: EventRow) {
      rows = rows.map((known) => (known.seq === item.seq ? item : known))
      changed.push(item)
      for (const stream of streams) stream.wake()
    },
    breakStreams() {
      for (const stream of streams) stream.breakWith(new Error('gone'))
    },
    /** Stores something without notifying the streams, as between a search and its watch. */
    storeSilently(...items: EventRow[]) {
      rows = [...rows, ...items]
    },
    /** Starts every stream `count` events too early, like a core that doesn’t know exactly what was sent. */
    overlapStreams(count: number) {
      overlap = count
    },
    /** A search with patience reads this many rows, matching or not. */
    lookThrough(count: number) {
      rowsPerSearch = count
    },
    replace(items: EventRow[]) {
      rows = items
    },
    failSearches(cause: unknown) {
      searchFailure = cause
    },
    holdSearches() {
      let open = () => {}
      searchGate = new Promise((resolve) => (open = resolve))
      return () => {
        searchGate = undefined
        open()
      }
    },
  }
}

/** `count` rows from seq `first` on. */
export function rowsFrom(first: number, count: number, over: Partial<EventRow> = {}): EventRow[] {
  return Array.from({ length: count }, (_, at) => row(first + at, over))
}
