import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { AppError } from '../../contract/errors.ts'
import { openReader } from '../../database/open.ts'
import { isoTime } from '../../lib/iso-time.ts'
import { eventColumns, type EventRow, toRecord } from '../events/event-rows.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { copiesMax, hashOfLine, type SignedExportHeader } from './signed-export-format.ts'
import { createTarget } from '../run/target-file.ts'

/** Seqs between pause checks. */
const seqsPerPiece = 10_000

/** The journal stores no credentials; this is a second barrier. */
const credential = /signature|authorization|cookie|secret|token|password|api-?key/i

interface DeliveryRow {
  verdict: string
  remote: string
  headersJson: string
  body: Buffer
}

function keptHeaders(headersJson: string): [string, string][] {
  return (JSON.parse(headersJson) as [string, string][]).filter(([name]) => !credential.test(name))
}

const bodyOf = (delivery: DeliveryRow | undefined) =>
  delivery === undefined
    ? { body: null }
    : isUtf8(delivery.body)
      ? { body: delivery.body.toString('utf8') }
      : { body_base64: delivery.body.toString('base64') }

export interface SignedExportOrder extends JobFiles {
  target: string
  journalFile: string
  /** The first line except for what the job counts; `signer` comes last. */
  header: Omit<
    SignedExportHeader,
    'events' | 'arrived' | 'first_seq' | 'last_seq' | 'public_key' | 'fingerprint' | 'gaps'
  >
  signer: Pick<SignedExportHeader, 'public_key' | 'fingerprint' | 'gaps'>
  /** Events that arrived in [fromMs, toMs), whole seconds. */
  fromMs: number
  toMs: number
  /** Events and copies up to this seq. */
  upToSeq: number
}

/** Writes a signed export up to its closing line, which the core signs. Rejects with SIGNED_EXPORT_CHANGED when events were added or deleted during it. */
export async function writeSignedExport(
  order: SignedExportOrder,
  control: JobControl,
): Promise<{ events: number; chain: string }> {
  const state = openReader(order.stateFile)
  const journal = openReader(order.journalFile)
  const target = createTarget(order.target)
  try {
    const ofSpan =
      'FROM events NOT INDEXED WHERE seq > ? AND seq <= ? AND received_ms >= ? AND received_ms < ?'
    const span = [order.fromMs, order.toMs] as const
    const tally = state.db.prepare<number[], { count: number; first: number | null; last: number | null }>(
      `SELECT count(*) AS count, min(seq) AS first, max(seq) AS last ${ofSpan}`,
    )
    const arrivals = state.db
      .prepare<number[], { arrived: number; first: number | null; last: number | null }>(
        `SELECT coalesce(sum(count), 0) AS arrived, min(first_seq) AS first, max(last_seq) AS last
         FROM arrivals WHERE grain_ms = 1000 AND bucket_ms >= ? AND bucket_ms < ?`,
      )
      .get(...span)!
    const afterSeq = (arrivals.first ?? 1) - 1
    const lastSeq = Math.min(arrivals.last ?? 0, order.upToSeq)
    const select = state.db.prepare<number[], EventRow>(`SELECT ${eventColumns} ${ofSpan} ORDER BY seq`)
    const selectCopies = state.db.prepare<number[], { seq: number; receivedMs: number }>(
      `SELECT journal_seq AS seq, received_ms AS receivedMs FROM copies
       WHERE event_seq = ? AND journal_seq <= ? ORDER BY journal_seq LIMIT ${copiesMax}`,
    )
    const countCopies = state.db
      .prepare<number[], number>('SELECT count(*) FROM copies WHERE event_seq = ? AND journal_seq <= ?')
      .pluck()
    const delivery = journal.db.prepare<number[], DeliveryRow>(
      'SELECT verdict, remote, headers_json AS headersJson, body FROM deliveries WHERE seq = ?',
    )

    async function* pieces(): AsyncGenerator<readonly [number, number]> {
      for (let after = afterSeq; after < lastSeq; after += seqsPerPiece) {
        yield [after, Math.min(after + seqsPerPiece, lastSeq)]
        await control.checkpoint()
      }
    }

    async function tallyAll() {
      let events = 0
      let first: number | null = null
      let last: number | null = null
      for await (const piece of pieces()) {
        const found = tally.get(...piece, ...span)!
        events += found.count
        first ??= found.first
        last = found.last ?? last
      }
      return { events, first, last }
    }
    const { events, first, last } = await tallyAll()
    const header = JSON.stringify({
      ...order.header,
      events,
      arrived: arrivals.arrived,
      first_seq: first,
      last_seq: last,
      ...order.signer,
    })
    target.line(header)
    let chain = hashOfLine(header)

    function copiesOf({ seq, copies }: EventRow) {
      if (copies === 1) return []
      return selectCopies.all(seq, order.upToSeq).map((copy) => {
        const stored = delivery.get(copy.seq)
        return {
          seq: copy.seq,
          received_at: isoTime(copy.receivedMs),
          verdict: stored?.verdict ?? null,
          body_sha256: stored ? createHash('sha256').update(stored.body).digest('hex') : null,
        }
      })
    }

    let rows = 0
    let withoutDelivery = 0
    for await (const piece of pieces()) {
      for (const row of select.iterate(...piece, ...span)) {
        rows++
        const stored = delivery.get(row.sourceSeq)
        if (!stored) withoutDelivery++
        const line = JSON.stringify({
          prev: chain,
          n: rows,
          // For programs: the same in every language.
          ...toRecord(row, 'en'),
          remote: stored?.remote ?? null,
          headers: stored ? keptHeaders(stored.headersJson) : null,
          ...bodyOf(stored),
          copies: row.copies === 1 ? 0 : (countCopies.get(row.seq, order.upToSeq) ?? 0),
          further: copiesOf(row),
        })
        target.line(line)
        chain = hashOfLine(line)
      }
      control.progress(rows, events, { events: rows })
    }
    // Retention deletes an event before its delivery. If the event is still stored, its delivery was lost in another way, and its line is right.
    const left = rows !== events || withoutDelivery === 0 ? rows : (await tallyAll()).events
    if (left !== events) throw new AppError('SIGNED_EXPORT_CHANGED', { expected: events, found: left })
    target.finish()
    return { events, chain }
  } finally {
    target.abandon()
    journal.close()
    state.close()
  }
}
