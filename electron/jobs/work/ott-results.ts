import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type ErrorCode, type ErrorData, errorTable, errorText } from '../../contract/errors.ts'
import { type Database, openReader } from '../../database/open.ts'
import { isoTime } from '../../lib/iso-time.ts'
import { createTarget } from './target-file.ts'
import type { JobControl } from './job-control.ts'
import type { JobOrder, JobResults, PlannedRow } from './protocol.ts'

const pieceRows = 2_000

interface Item {
  id: number
  phone: string
  name: string
  state: string
  serviceId: string | null
  serviceStatus: string | null
  bodyJson: string
  problemCode: string | null
  problemJson: string | null
  sentMs: number | null
  endedMs: number | null
  resolution: string | null
}

const columns = `o.id, o.phone, o.name, o.state, o.service_id AS serviceId, o.service_status AS serviceStatus, o.body_json AS bodyJson,
  o.problem_code AS problemCode, o.problem_json AS problemJson, o.sent_ms AS sentMs, o.ended_ms AS endedMs, o.resolution`

const outcomes: Record<string, string> = {
  'held-back': 'waiting',
  queued: 'waiting',
  blocked: 'waiting',
  'in-flight': 'under way',
  done: 'sent',
  rejected: 'not sent',
  unknown: 'not known',
  cancelled: 'taken back',
}

/** What was sent again of a batch is in later batches: an item of the same body behind it. */
function againReader(db: Database, batchId: string): (item: Item) => Item {
  const later = new Map<string, Item[]>()
  const rows = db
    .prepare<[string], Item>(
      `SELECT ${columns} FROM outbox o JOIN outbox_batches b ON b.id = o.batch_id
       WHERE b.kind = 'resend' AND o.operation = 'send-ott' AND o.id > (SELECT coalesce(min(id), 0) FROM outbox WHERE batch_id = ?)
       ORDER BY o.id`,
    )
    .iterate(batchId)
  for (const row of rows) later.set(row.bodyJson, [...(later.get(row.bodyJson) ?? []), row])
  return (item) => {
    let last = item
    while (last.resolution === 'sent-again') {
      const next = later.get(last.bodyJson)?.find(({ id }) => id > last.id)
      if (!next) break
      last = next
    }
    return last
  }
}

function problemOf({ problemCode, problemJson }: Item): string {
  if (problemCode === null) return ''
  if (!(problemCode in errorTable)) return problemCode
  return errorText(problemCode as ErrorCode, JSON.parse(problemJson ?? '{}') as ErrorData)
}

/** Writes what became of each recipient of a send, those left out behind. */
export async function writeResults(
  order: Extract<JobOrder, { job: 'ott-results' }>,
  control: JobControl,
): Promise<JobResults['ott-results']> {
  const state = openReader(order.stateFile)
  const target = createTarget(order.target)
  const { variables, batchId } = order
  try {
    target.row([
      'phone',
      'name',
      ...variables,
      'outcome',
      'reason',
      'message_id',
      'service_status',
      'sent_at',
      'ended_at',
    ])
    let rows = 0
    const step = async () => {
      if (++rows % pieceRows !== 0) return
      control.progress(rows, null, { rows })
      await control.checkpoint()
    }
    if (batchId !== null) {
      const lastOf = againReader(state.db, batchId)
      const page = state.db.prepare<[string, number, number], Item>(
        `SELECT ${columns} FROM outbox o WHERE o.batch_id = ? AND o.id > ? ORDER BY o.id LIMIT ?`,
      )
      for (let afterId = 0; ;) {
        const items = page.all(batchId, afterId, pieceRows)
        if (items.length === 0) break
        for (const item of items) {
          const last = lastOf(item)
          const values = (JSON.parse(item.bodyJson) as { variables: Record<string, string | number> })
            .variables
          target.row([
            item.phone,
            item.name,
            ...variables.map((name) => (Object.hasOwn(values, name) ? String(values[name]) : '')),
            outcomes[last.state] ?? last.state,
            problemOf(last),
            last.serviceId ?? '',
            last.serviceStatus ?? '',
            isoTime(last.sentMs) ?? '',
            isoTime(last.endedMs) ?? '',
          ])
          await step()
        }
        afterId = items.at(-1)!.id
      }
    }
    if (existsSync(order.left))
      for await (const line of createInterface({ input: createReadStream(order.left) })) {
        const { phone, name, leftOut, reason } = JSON.parse(line) as PlannedRow
        target.row([
          phone,
          name,
          ...variables.map(() => ''),
          'left out',
          reason ?? leftOut ?? '',
          '',
          '',
          '',
          '',
        ])
        await step()
      }
    target.finish()
    return { rows }
  } finally {
    target.abandon()
    state.close()
  }
}
