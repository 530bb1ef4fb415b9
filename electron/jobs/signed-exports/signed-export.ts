import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { openReader } from '../../database/open.ts'
import { isoTime } from '../../lib/iso-time.ts'
import { eventColumns, type EventRow, toRecord } from '../events/event-rows.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { copiesMax, type SignedExportHeader } from './signed-export-format.ts'
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
  header: Omit<SignedExportHeader, 'arrived' | 'public_key' | 'gaps'>
  signer: Pick<SignedExportHeader, 'public_key' | 'gaps'>
  /** Events that arrived in [fromMs, toMs), whole seconds. */
  fromMs: number
  toMs: number
  /** Events and copies up to this seq. */
  upToSeq: number
}

/** Writes a signed export up to its closing line, which the core signs. */
export async function writeSignedExport(
  order: SignedExportOrder,
  control: JobControl,
): Promise<{ events: number; sha256: string }> {
  const state = openReader(order.stateFile)
  const journal = openReader(order.journalFile)
  const target = createTarget(order.target)
  const hash = createHash('sha256')
  const writeLine = (value: object) => {
    const line = JSON.stringify(value)
    hash.update(`${line}\n`)
    target.line(line)
  }
  try {
    const { arrived, first, last } = state.db
      .prepare<number[], { arrived: number; first: number | null; last: number | null }>(
        `SELECT coalesce(sum(count), 0) AS arrived, min(first_seq) AS first, max(last_seq) AS last
         FROM arrivals WHERE grain_ms = 1000 AND bucket_ms >= ? AND bucket_ms < ?`,
      )
      .get(order.fromMs, order.toMs)!
    const lastSeq = Math.min(last ?? 0, order.upToSeq)
    const select = state.db.prepare<number[], EventRow>(
      `SELECT ${eventColumns} FROM events NOT INDEXED
       WHERE seq > ? AND seq <= ? AND received_ms >= ? AND received_ms < ? ORDER BY seq`,
    )
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

    writeLine({ ...order.header, arrived, ...order.signer })
    let events = 0
    for (let after = (first ?? 1) - 1; after < lastSeq; after += seqsPerPiece) {
      const upTo = Math.min(after + seqsPerPiece, lastSeq)
      for (const row of select.iterate(after, upTo, order.fromMs, order.toMs)) {
        events++
        const stored = delivery.get(row.sourceSeq)
        writeLine({
          n: events,
          // For programs: the same in every language.
          ...toRecord(row, 'en'),
          remote: stored?.remote ?? null,
          headers: stored ? keptHeaders(stored.headersJson) : null,
          ...bodyOf(stored),
          copies: row.copies === 1 ? 0 : (countCopies.get(row.seq, order.upToSeq) ?? 0),
          further: copiesOf(row),
        })
      }
      control.progress(events, arrived, { events })
      await control.checkpoint()
    }
    target.finish()
    return { events, sha256: hash.digest('hex') }
  } finally {
    target.abandon()
    journal.close()
    state.close()
  }
}
