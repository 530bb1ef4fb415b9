import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type ErrorData, errorPhrase, isErrorCode } from '../../contract/errors.ts'
import { textIn } from '../../contract/phrases.ts'
import type { Language } from '../../contract/texts.ts'
import { type Database, openReader } from '../../database/open.ts'
import { isoTime } from '../../lib/iso-time.ts'
import { createTarget } from '../run/target-file.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { type CsvColumn, titlesOf } from '../run/csv-headers.ts'
import type { PlannedRow } from './plan-order.ts'
import { reportReader } from './send-reports.ts'
import { reportColumns } from '../table/rejected-rows.ts'

const pieceRows = 2_000
const resultColumns: CsvColumn[] = [
  'outcome',
  'reason',
  'message_id',
  'service_status',
  'report_status',
  'report_code',
  'report_at',
  'sent_at',
  'ended_at',
  'provider_message_id',
  'channel_id',
  'template_id',
  'created_at',
  'body',
]
/** Cells after outcome and reason when nothing is known. */
const noResult = resultColumns.slice(2).map(() => '')

/** The service's answer about an accepted message, as stored in the outbox. */
type Answer = Record<'providerMessageId' | 'channelId' | 'templateId' | 'createdAt' | 'body', string | null>

interface Item {
  id: number
  phone: string
  name: string
  state: string
  serviceId: string | null
  serviceStatus: string | null
  bodyJson: string
  answerJson: string | null
  problemCode: string | null
  problemJson: string | null
  sentMs: number | null
  endedMs: number | null
  resolution: string | null
}

const columns = `o.id, o.phone, o.name, o.state, o.service_id AS serviceId, o.service_status AS serviceStatus, o.body_json AS bodyJson, o.answer_json AS answerJson,
  o.problem_code AS problemCode, o.problem_json AS problemJson, o.sent_ms AS sentMs, o.ended_ms AS endedMs, o.resolution`

const outcomes: Record<string, string> = {
  undoable: 'waiting',
  scheduled: 'waiting',
  queued: 'waiting',
  blocked: 'waiting',
  'in-flight': 'in flight',
  done: 'sent',
  rejected: 'not sent',
  unknown: 'unconfirmed',
  cancelled: 'cancelled',
}

/** Finds the last resend of an item. Each names its original in `again_of`; a cancelled one replaces nothing. */
function againReader(db: Database, batchId: string): (item: Item) => Item {
  const rows = db
    .prepare<[string], Item & { againOf: number }>(
      `SELECT ${columns}, o.again_of AS againOf FROM outbox o
       WHERE o.operation = 'send-ott' AND o.again_of IS NOT NULL
         AND o.id > (SELECT coalesce(min(id), 0) FROM outbox WHERE batch_id = ?)
       ORDER BY o.id`,
    )
    .iterate(batchId)
  const nextOf = new Map<number, Item>()
  for (const row of rows) nextOf.set(row.againOf, row)
  return (item) => {
    let last = item
    for (let next = nextOf.get(item.id); next; next = nextOf.get(next.id))
      if (next.state !== 'cancelled' || last.state === 'cancelled') last = next
    return last
  }
}

/** The data of an erased person is gone, the body's too. */
const isErased = ({ phone }: Item) => phone === ''

function problemOf(item: Item, language: Language): string {
  if (isErased(item)) return textIn(language, { key: 'plan.erased' })
  const { problemCode, problemJson } = item
  if (problemCode === null) return ''
  if (!isErrorCode(problemCode)) return problemCode
  const data = JSON.parse(problemJson ?? '{}') as ErrorData
  // The error's own text begins with the number, which a spreadsheet may read as a formula.
  if (problemCode === 'ON_DNC')
    return textIn(language, { key: 'plan.blocked', reason: String(data['reason'] ?? '') })
  return textIn(language, errorPhrase({ code: problemCode, data }))
}

/** Outcome, reason, message id, service status, its delivery report, times of sending and end, then the rest of the service's answer. */
function resultOf(
  item: Item,
  report: ReturnType<ReturnType<typeof reportReader>>,
  language: Language,
): string[] {
  const answer = JSON.parse(item.answerJson ?? '{}') as Partial<Answer>
  return [
    outcomes[item.state] ?? item.state,
    problemOf(item, language),
    item.serviceId ?? '',
    item.serviceStatus ?? '',
    report?.status ?? '',
    String(report?.code ?? ''),
    isoTime(report?.atMs ?? null) ?? '',
    isoTime(item.sentMs) ?? '',
    isoTime(item.endedMs) ?? '',
    answer.providerMessageId ?? '',
    answer.channelId ?? '',
    answer.templateId ?? '',
    answer.createdAt ?? '',
    answer.body ?? '',
  ]
}

/** A skipped row of a file: its own cells, row number, reason, and extra cells. */
function skippedRow(
  { at, leftOut, reason, cells = [] }: PlannedRow,
  { header, own }: { header: readonly string[]; own: readonly number[] },
  language: Language,
): string[] {
  const report = [String(at), 'skipped', textIn(language, reason ?? leftOut ?? '')]
  return [...own.map((column) => cells[column] ?? ''), ...report, ...cells.slice(header.length)]
}

export interface ResultsOrder extends JobFiles {
  /** Null while nothing is queued. */
  batchId: string | null
  /** The file of skipped recipients. */
  left: string
  /** Only for skipped rows of a file: its columns, and those of the original. */
  table: { header: string[]; own: number[] } | null
  target: string
  variables: string[]
}

/** Writes each recipient's result, skipped ones last: of a file with the columns to correct and send again. */
export async function writeResults(order: ResultsOrder, control: JobControl): Promise<{ rows: number }> {
  const state = openReader(order.stateFile)
  const target = createTarget(order.target)
  const { variables, batchId, table, language = 'en' } = order
  // A placeholder may have the name of another column.
  const placeholders = variables.map((name) => `{{${name}}}`)
  try {
    target.row(
      table
        ? [...table.own.map((at) => table.header[at]!), ...titlesOf(reportColumns, language)]
        : [...titlesOf(['phone', 'name'], language), ...placeholders, ...titlesOf(resultColumns, language)],
    )
    let rows = 0
    const step = async () => {
      if (++rows % pieceRows !== 0) return
      control.progress(rows, null, { rows })
      await control.checkpoint()
    }
    if (batchId !== null) {
      const reportOf = reportReader(state.db)
      const lastOf = againReader(state.db, batchId)
      const page = state.db.prepare<[string, number, number], Item>(
        `SELECT ${columns} FROM outbox o WHERE o.batch_id = ? AND o.id > ? ORDER BY o.id LIMIT ?`,
      )
      for (let afterId = 0; ;) {
        const items = page.all(batchId, afterId, pieceRows)
        if (items.length === 0) break
        for (const item of items) {
          const last = lastOf(item)
          const report = last.serviceId === null ? null : reportOf(last.serviceId)
          const { variables: values = {} } = JSON.parse(item.bodyJson) as {
            variables?: Record<string, string | number>
          }
          target.row([
            item.phone,
            item.name,
            ...variables.map((name) => (Object.hasOwn(values, name) ? String(values[name]) : '')),
            ...resultOf(last, report, language),
          ])
          await step()
        }
        afterId = items.at(-1)!.id
      }
    }
    if (existsSync(order.left))
      for await (const line of createInterface({ input: createReadStream(order.left) })) {
        const row = JSON.parse(line) as PlannedRow
        const { phone, name, values, leftOut, reason } = row
        const valueOf = (of: string) => String(values.find((one) => one.name === of)?.value ?? '')
        const result = ['skipped', textIn(language, reason ?? leftOut ?? ''), ...noResult]
        target.row(
          table ? skippedRow(row, table, language) : [phone, name, ...variables.map(valueOf), ...result],
        )
        await step()
      }
    target.finish()
    return { rows }
  } finally {
    target.abandon()
    state.close()
  }
}
