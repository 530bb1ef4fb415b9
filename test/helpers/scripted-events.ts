import type { EventBatch, EventRow, Gap } from '#contract/live/events.ts'
import { AppError } from '#contract/errors.ts'
import type { Script } from './scripted/script.ts'

/** Events for a scripted core: pages, streams additions, and can disconnect. */
export interface ScriptedEvents {
  /** Answers for the scripted core. */
  answers: Partial<Script['events']>
  /** Stores events and streams them to all watchers. */
  add(...rows: EventRow[]): void
  /** Stores `count` delivered reports that arrive now. */
  addMany(count: number): void
  /** Adds a duplicate of a stored event. */
  copy(seq: number): void
  /** All rows, oldest first. */
  rows(): readonly EventRow[]
}

const bucketNames = ['submitted', 'delivered', 'failed', 'expired', 'mo'] as const

/** A stored report of `seq`, received at `receivedMs`; `over` replaces other members. */
export function scriptedRow(seq: number, receivedMs: number, over: Partial<EventRow> = {}): EventRow {
  return {
    seq,
    kind: 'dlr',
    messageId: `3f2a9c1e-77b0-4b1f-8a55-${seq.toString(16).padStart(12, '0')}`,
    status: 'delivered',
    errorCode: null,
    number: `+4477009${String(seq % 100_000).padStart(5, '0')}`,
    ownNumber: null,
    content: null,
    serviceTime: new Date(receivedMs - 84).toISOString(),
    receivedAt: new Date(receivedMs).toISOString(),
    copies: 1,
    verdict: 'signed',
    quarantineReason: null,
    optOut: false,
    ...over,
  }
}

/** Begins with `stored`, oldest first. `batchLimit` bounds a batch as the contract does. */
export function createScriptedEvents(
  stored: EventRow[] = [],
  gaps: Gap[] = [],
  batchLimit = 500,
): ScriptedEvents {
  const rows = stored
  const counts = new Map<string, number>()
  const wakers = new Set<() => void>()
  let changed: EventRow[] = []
  let nextSeq = (rows.at(-1)?.seq ?? 0) + 1

  const lastSeq = () => rows.at(-1)?.seq ?? 0

  /** Index of the first row after `seq`. A script's seqs ascend by one. */
  const indexAfter = (seq: number) => Math.max(0, rows.length - (lastSeq() - seq))

  async function* watch(afterSeq: number, signal?: AbortSignal): AsyncGenerator<EventBatch> {
    let sent = afterSeq
    let first = true
    while (!signal?.aborted) {
      if (first || sent < lastSeq() || changed.length > 0) {
        first = false
        const part = rows.slice(indexAfter(sent), indexAfter(sent) + batchLimit)
        sent = part.at(-1)?.seq ?? sent
        const news = changed
        changed = []
        yield {
          items: part,
          changed: news,
          upToSeq: sent,
          storedTotal: rows.length,
          matchingTotal: rows.length,
        }
        continue
      }
      await new Promise<void>((resolve) => {
        const wake = () => {
          wakers.delete(wake)
          resolve()
        }
        wakers.add(wake)
        signal?.addEventListener('abort', wake, { once: true })
      })
    }
  }

  function add(...added: EventRow[]): void {
    for (const row of added) {
      rows.push(row)
      const second = Math.floor(Date.parse(row.receivedAt) / 1_000)
      const key = `${second} ${row.kind === 'mo' ? 'mo' : row.status}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    nextSeq = lastSeq() + 1
    for (const wake of wakers) wake()
  }
  const initial = rows.splice(0)
  add(...initial)

  const answers: Partial<Script['events']> = {
    search({ limit = 100, cursor }) {
      const upTo = cursor === undefined ? rows.length : indexAfter(cursor - 1)
      const items = rows.slice(Math.max(0, upTo - limit), upTo).toReversed()
      return {
        items,
        nextCursor: upTo > limit ? items.at(-1)!.seq : null,
        matchingTotal: rows.length,
        storedTotal: rows.length,
        upToSeq: lastSeq(),
        asOf: new Date().toISOString(),
      }
    },
    watch: (({ afterSeq }: { afterSeq: number }, signal?: AbortSignal) =>
      watch(afterSeq, signal)) as unknown as Script['events']['watch'],
    get({ seq }) {
      const event = rows[indexAfter(seq - 1)]
      if (event?.seq !== seq) throw new AppError('NOT_FOUND', { what: 'This event' })
      const body =
        event.kind === 'mo'
          ? {
              event: 'mo',
              message_id: event.messageId,
              source: event.number,
              destination: event.ownNumber,
              content: event.content,
              received_at: event.serviceTime,
            }
          : {
              event: 'dlr',
              message_id: event.messageId,
              status: event.status,
              error_code: event.errorCode,
              destination: event.number,
              delivered_at: event.serviceTime,
            }
      const first = Date.parse(event.receivedAt)
      return {
        event,
        rawBody: event.kind === 'quarantined' ? '{"event":"balance_low","level":' : JSON.stringify(body),
        headers: [
          ['content-type', 'application/json'],
          ['content-length', '214'],
          ['user-agent', 'messaging-service/1'],
          ['x-webhook-signature', '6c1f…e2'],
        ],
        copies: Array.from({ length: event.copies }, (_item, at) => {
          const afterFirstMs = [0, 5_012, 25_031][at] ?? 25_031
          return { receivedAt: new Date(first + afterFirstMs).toISOString(), afterFirstMs }
        }),
        timeline: [
          ...(event.kind === 'dlr' && event.status !== 'submitted'
            ? [
                scriptedRow(seq, first - 2_310, {
                  messageId: event.messageId,
                  status: 'submitted',
                  number: event.number,
                }),
              ]
            : []),
          event,
        ].map((row, at) => ({
          ...row,
          seq: seq - (at === 0 && event.status !== 'submitted' && event.kind === 'dlr' ? 1 : 0),
        })),
        messageStatus: event.kind === 'dlr' ? event.status : null,
        recovered: null,
      }
    },
    series({ from, to, bucketMs }) {
      const fromMs = Date.parse(from)
      const buckets = Math.floor((Date.parse(to) - fromMs) / bucketMs)
      return {
        bucketMs,
        from,
        lines: bucketNames.map((name) => ({
          name,
          counts: Array.from({ length: buckets }, (_item, at) => {
            let sum = 0
            const firstSecond = (fromMs + at * bucketMs) / 1_000
            for (let second = firstSecond; second < firstSecond + bucketMs / 1_000; second++)
              sum += counts.get(`${second} ${name}`) ?? 0
            return sum
          }),
        })),
        asOf: new Date().toISOString(),
      }
    },
    gaps: () => ({ gaps, recordedSince: null, asOf: new Date().toISOString() }),
  }

  return {
    answers,
    add,
    addMany(count) {
      const nowMs = Date.now()
      add(...Array.from({ length: count }, (_item, at) => scriptedRow(nextSeq + at, nowMs)))
    },
    copy(seq) {
      const at = indexAfter(seq - 1)
      rows[at] = { ...rows[at]!, copies: rows[at]!.copies + 1 }
      changed.push(rows[at])
      for (const wake of wakers) wake()
    },
    rows: () => rows,
  }
}
