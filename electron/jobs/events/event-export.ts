import { openReader } from '../../database/open.ts'
import { addTextFunctions } from '../../database/text-functions.ts'
import { eventColumns, type EventRow, toRecord } from './event-rows.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { createTable, createTarget } from '../run/target-file.ts'
import { titlesOf } from '../run/csv-headers.ts'

/** Seqs between pause checks. */
const seqsPerPiece = 50_000

const columns = [
  ...['seq', 'received_at', 'kind', 'status', 'error_code', 'message_id', 'number', 'own_number', 'content'],
  ...['service_time', 'copies', 'verdict', 'opt_out', 'quarantine_reason'],
] as const satisfies readonly (keyof ReturnType<typeof toRecord>)[]

/** Whether a stored text has replacements for NUL or half characters, which JSON can express. */
const hasSign = (text: string | null) => text !== null && /[\u2400\ufffd]/.test(text)

/** The original text of an inbound message; null when the body no longer has it. */
function contentOf(body: Uint8Array | undefined): string | null {
  try {
    const read: unknown = JSON.parse(Buffer.from(body ?? []).toString('utf8'))
    const { content } = Object(read) as { content?: unknown }
    return typeof content === 'string' ? content : null
  } catch {
    return null
  }
}

export interface EventsOrder extends JobFiles {
  target: string
  /** Has the original texts; the events have replacements for characters that SQLite cannot search. */
  journalFile: string
  format: 'csv' | 'xlsx' | 'ndjson'
  /** On the columns of `events`: the index to use, and terms that start with AND. */
  condition: { access: string; terms: string; params: (string | number)[] }
  /** Seqs in (afterSeq, upToSeq]. */
  afterSeq: number
  upToSeq: number
}

/** Writes the events of a condition, oldest first, as a table or with one JSON object per line. */
export async function exportEvents(order: EventsOrder, control: JobControl): Promise<{ rows: number }> {
  const state = openReader(order.stateFile)
  const journal = openReader(order.journalFile)
  const lines = order.format === 'ndjson' ? createTarget(order.target) : null
  const table = order.format === 'ndjson' ? null : await createTable(order.target, order.format)
  try {
    addTextFunctions(state.db)
    const { access, terms, params } = order.condition
    const select = state.db.prepare<(string | number)[], EventRow>(
      `SELECT ${eventColumns} FROM events ${access} WHERE seq > ? AND seq <= ?${terms} ORDER BY seq`,
    )
    const body = journal.db.prepare<[number], Uint8Array>('SELECT body FROM deliveries WHERE seq = ?').pluck()
    // JSON is for programs, so its names and reasons are the same in every language.
    const language = table ? (order.language ?? 'en') : 'en'
    table?.row(titlesOf(columns, language))
    let rows = 0
    for (let after = order.afterSeq; after < order.upToSeq; after += seqsPerPiece) {
      const upTo = Math.min(after + seqsPerPiece, order.upToSeq)
      for (const row of select.iterate(after, upTo, ...params)) {
        const record = toRecord(row, language)
        table?.row(columns.map((name) => String(record[name] ?? '')))
        if (lines) {
          const whole = hasSign(row.content) ? contentOf(body.get(row.sourceSeq)) : null
          lines.line(JSON.stringify(whole === null ? record : { ...record, content: whole }))
        }
        rows++
      }
      control.progress(rows, null, { rows })
      await table?.drained()
      await control.checkpoint()
    }
    lines?.finish()
    await table?.finish()
    return { rows }
  } finally {
    lines?.abandon()
    table?.abandon()
    journal.close()
    state.close()
  }
}
