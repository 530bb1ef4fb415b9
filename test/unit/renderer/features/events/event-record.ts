import type { EventFilter, EventRow } from '#contract/live/events.ts'
import type { EventStreamPorts } from '../../../../../renderer/src/features/events/event-stream.ts'
import { createScriptedEvents, scriptedRow } from '../../../../helpers/scripted-events.ts'

const startMs = Date.UTC(2026, 0, 5, 14, 0, 0)

/** A stored delivery report for tests: arrives `seq` seconds after 14:00:00. */
export const row = (seq: number, over: Partial<EventRow> = {}): EventRow =>
  scriptedRow(seq, startMs + seq * 1_000, over)

/** `count` rows from seq `first` on. */
export const rowsFrom = (first: number, count: number, over: Partial<EventRow> = {}): EventRow[] =>
  Array.from({ length: count }, (_, at) => row(first + at, over))

/**
 * Scripted events at the far end of a connection that the test can break. It can hold or fail searches, and draws frames only with
 * `frame()`.
 */
export function createEventRecord(stored: EventRow[] = []) {
  const record = createScriptedEvents(stored)
  const { search, watch } = record.answers
  type Search = Parameters<typeof search>[0]
  type Watch = Parameters<typeof watch>[0]
  let frames: (() => void)[] = []
  let searchFailure: unknown
  let searchGate: Promise<undefined> | undefined
  const opened: { filter: EventFilter; afterSeq: number }[] = []
  const subscriptions = new Set<() => void>()
  let connection = new AbortController()
  let overlap = 0
  let rowsPerSearch = Infinity

  const events = {
    async search(input: Search) {
      await searchGate
      if (searchFailure) throw searchFailure
      const looked = search({ ...input, filter: {}, limit: rowsPerSearch })
      if (input.patienceMs === undefined || looked.nextCursor === null) return search(input)
      const items = looked.items.filter(({ status }) => input.filter.statuses!.includes(status!))
      return { ...looked, items, searchedBackTo: looked.items.at(-1)!.receivedAt, matchingTotal: null }
    },
    async watch(input: Watch, { signal }: { signal: AbortSignal }) {
      opened.push(input)
      return batches({ ...input, afterSeq: input.afterSeq - overlap }, signal, connection.signal)
    },
  }

  async function* batches(input: Watch, signal: AbortSignal, broken: AbortSignal) {
    yield* watch(input, AbortSignal.any([signal, broken]))
    if (broken.aborted) throw new Error('gone')
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
              handlers.onLost?.({ code: 'DISCONNECTED', acted: 'no', data: {} })
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
    push: record.add,
    change: record.change,
    replace: record.replace,
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
    breakStreams() {
      connection.abort()
      connection = new AbortController()
    },
    /** Starts every stream `count` events too early, like a core that doesn’t know exactly what was sent. */
    overlapStreams: (count: number) => void (overlap = count),
    /** A search with patience reads this many rows, matching or not. */
    lookThrough: (count: number) => void (rowsPerSearch = count),
    failSearches: (cause: unknown) => void (searchFailure = cause),
    holdSearches() {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      searchGate = promise
      return () => {
        searchGate = undefined
        resolve(undefined)
      }
    },
  }
}
