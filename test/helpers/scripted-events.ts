import type { EventBatch, EventFilter, EventRow, Gap } from '#contract/live/events.ts'
import { AppError } from '#contract/errors.ts'
import { createBroadcast } from './scripted/broadcast.ts'
import type { Script } from './scripted/script.ts'

const bucketNames = ['submitted', 'delivered', 'failed', 'expired', 'mo'] as const
/** As the contract says. */
const mostInBatch = 500

/** A stored report of `seq`, received at `receivedMs`; `over` replaces other members. */
export function scriptedRow(seq: number, receivedMs: number, over: Partial<EventRow> = {}): EventRow {
  return {
    seq,
    kind: 'dlr',
    messageId: `msg-${seq}`,
    status: 'delivered',
    errorCode: null,
    number: `+4477009${String(seq % 100_000).padStart(5, '0')}`,
    ownNumber: null,
    content: null,
    serviceTime: new Date(receivedMs - 84).toISOString(),
    receivedAt: new Date(receivedMs).toISOString(),
    copies: 1,
    latencyMs: null,
    verdict: 'signed',
    quarantineReason: null,
    optOut: false,
    ...over,
  }
}

/** Events that a test adds to: searched by status, paged and streamed. Begins with `stored`, oldest first, whose seqs ascend by one. */
export function createScriptedEvents(stored: EventRow[] = [], gaps: Gap[] = []) {
  let rows = stored
  const version = createBroadcast(0)
  const changed: EventRow[] = []
  const asOf = () => new Date().toISOString()
  const lastSeq = () => rows.at(-1)?.seq ?? 0
  const matching = ({ statuses }: EventFilter, among = rows) =>
    statuses ? among.filter(({ status }) => statuses.includes(status ?? '')) : among
  const totals = (filter: EventFilter) => ({
    storedTotal: lastSeq(),
    matchingTotal: filter.statuses ? matching(filter).length : lastSeq(),
  })
  const bySeq = (seq: number) => rows.find((row) => row.seq === seq)

  function put(next: EventRow[]): void {
    rows = next
    version.set(version.value() + 1)
  }
  function change(row: EventRow): void {
    changed.push(row)
    put(rows.map((known) => (known.seq === row.seq ? row : known)))
  }

  async function* watch(filter: EventFilter, afterSeq: number, signal?: AbortSignal) {
    let sent = afterSeq
    for await (const _version of version.watch(signal))
      do {
        const left = rows.filter(({ seq }) => seq > sent)
        const next = left.slice(0, mostInBatch)
        sent = next.at(-1)?.seq ?? lastSeq()
        const batch: EventBatch = {
          items: matching(filter, next),
          changed: changed.splice(0),
          upToSeq: sent,
          ...totals(filter),
        }
        yield batch
      } while (sent < lastSeq())
  }

  /** What the service sent, as far as it can be told from the row. */
  const bodyOf = ({
    kind,
    messageId,
    number,
    ownNumber,
    content,
    status,
    errorCode,
    serviceTime,
  }: EventRow) =>
    kind === 'mo'
      ? {
          event: 'mo',
          message_id: messageId,
          source: number,
          destination: ownNumber,
          content,
          received_at: serviceTime,
        }
      : {
          event: 'dlr',
          message_id: messageId,
          status,
          error_code: errorCode,
          destination: number,
          delivered_at: serviceTime,
        }

  const answers = {
    search({ filter, limit = 100, cursor }) {
      const from = matching(filter)
        .filter(({ seq }) => cursor === undefined || seq < cursor)
        .toReversed()
      const items = from.slice(0, limit)
      return {
        items,
        nextCursor: from.length > limit ? items.at(-1)!.seq : null,
        ...totals(filter),
        upToSeq: lastSeq(),
        asOf: asOf(),
      }
    },
    watch: ({ filter, afterSeq }, signal) => watch(filter, afterSeq, signal),
    get({ seq }) {
      const event = bySeq(seq)
      if (!event) throw new AppError('NOT_FOUND', { what: 'This event' })
      const firstMs = Date.parse(event.receivedAt)
      const isFinal = event.kind === 'dlr' && event.status !== 'submitted'
      const { messageId, number } = event
      const before = scriptedRow(seq - 1, firstMs - 2_310, { messageId, status: 'submitted', number })
      return {
        event,
        rawBody:
          event.kind === 'quarantined' ? '{"event":"balance_low","level":' : JSON.stringify(bodyOf(event)),
        headers: [
          ['content-type', 'application/json'],
          ['user-agent', 'messaging-service/1'],
          ['x-webhook-signature', '6c1f…e2'],
        ],
        copies: Array.from({ length: event.copies }, (_item, at) => {
          const afterFirstMs = [0, 5_012, 25_031][at] ?? 25_031
          return { receivedAt: new Date(firstMs + afterFirstMs).toISOString(), afterFirstMs }
        }),
        timeline: isFinal ? [before, event] : [event],
        messageStatus: event.kind === 'dlr' ? event.status : null,
        recovered: null,
      }
    },
    series({ from, to, bucketMs }) {
      const fromMs = Date.parse(from)
      const lines = bucketNames.map((name) => {
        const counts = new Array<number>(Math.floor((Date.parse(to) - fromMs) / bucketMs)).fill(0)
        for (const { kind, status, receivedAt } of rows) {
          const at = Math.floor((Date.parse(receivedAt) - fromMs) / bucketMs)
          if ((kind === 'mo' ? 'mo' : status) === name && at in counts) counts[at]!++
        }
        return { name, counts }
      })
      return { bucketMs, from, lines, asOf: asOf() }
    },
    gaps: () => ({ gaps, recordedSince: null, asOf: asOf() }),
  } satisfies Partial<Script['events']>

  return {
    answers,
    /** Stores events and streams them to all watchers. */
    add: (...added: EventRow[]) => put([...rows, ...added]),
    /** Stores `count` delivered reports that arrive now. */
    addMany(count: number) {
      const [nextSeq, nowMs] = [lastSeq() + 1, Date.now()]
      put([...rows, ...Array.from({ length: count }, (_item, at) => scriptedRow(nextSeq + at, nowMs))])
    },
    /** Replaces a stored event by one with more copies. */
    change,
    /** Adds a duplicate of a stored event. */
    copy(seq: number) {
      const row = bySeq(seq)!
      change({ ...row, copies: row.copies + 1 })
    },
    /** Replaces everything that is stored. The streams notice it at their next event. */
    replace: (next: EventRow[]) => void (rows = next),
  }
}
