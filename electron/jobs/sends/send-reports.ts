import type { OutputOf } from '../../contract/define.ts'
import type { sendReportsContract } from '../../contract/views/send-reports.ts'
import { holdReasons } from '../../contract/phrases.ts'
import type { Database } from '../../database/open.ts'
import { openReader } from '../../database/open.ts'
import { addTextFunctions, messageHash } from '../../database/text-functions.ts'
import type { JobFiles } from '../run/job-control.ts'

/** Messages of a send with the same outcome. Status and code are those of the furthest delivery report, or the status is the service's answer. */
type ReportCount = OutputOf<typeof sendReportsContract, 'get'>['counts'][number]

/** Whether an item that Switchboard rejected is on hold, and not on the DNC list: an SQL condition. */
export const isHeld = `json_extract(problem_json, '$.reason.key') IN (${holdReasons.map((key) => `'${key}'`).join(', ')})`

/**
 * Codes of a failed report that name a cause outside the message, which may pass: unreachable, no balance. With other codes a new message
 * would fail as well, or nothing says that the first one didn't arrive.
 */
const passingCodes = [2, 3]

/** The furthest report of the message `id`, an SQL expression, as in `core/live/events/message-rows.ts`. */
const statusOf = (id: string) => `coalesce(
  (SELECT m.status FROM events e INDEXED BY events_by_key CROSS JOIN messages m ON m.seq = e.seq
   WHERE e.message_hash = ${messageHash}(${id}) AND m.message_id = ${id}),
  (SELECT status FROM kept_messages WHERE message_id = ${id}))`

const reportsOf = (id: string, status: string) =>
  `FROM events e INDEXED BY events_by_key WHERE e.message_hash = ${messageHash}(${id}) AND e.message_id = ${id} AND e.kind = 'dlr' AND e.status = ${status}`

/**
 * The last try of each item that meets `base`, with its outcome and its report. The service may say at once that a message failed. A resend names the item it replaces; a cancelled one
 * replaces nothing. Two messages with one ID have no reports of their own.
 */
const judged = (base: string) => `
  WITH RECURSIVE
  tries (first_id, id) AS (
    SELECT id, id FROM outbox WHERE ${base}
    UNION ALL
    SELECT tries.first_id, o.id FROM tries CROSS JOIN outbox o INDEXED BY outbox_again_of ON o.again_of = tries.id
  ),
  last_tries (id) AS (
    SELECT coalesce(max(o.id) FILTER (WHERE o.state <> 'cancelled'), max(o.id))
    FROM tries CROSS JOIN outbox o ON o.id = tries.id GROUP BY tries.first_id
  ),
  found AS (
    SELECT o.id, o.state, o.phone, o.body_json, o.service_id, o.problem_code, o.problem_json, o.resolution,
      count(*) OVER (PARTITION BY o.service_id) AS sharing,
      coalesce(${statusOf('o.service_id')}, iif(o.service_status IN ('failed', 'rejected', 'expired'), o.service_status, NULL)) AS reported
    FROM last_tries CROSS JOIN outbox o ON o.id = last_tries.id
  ),
  judged AS (
    SELECT id, phone, body_json, service_id, reported,
      CASE
        WHEN state IN ('undoable', 'scheduled', 'queued', 'blocked', 'in-flight') THEN 'waiting'
        WHEN state = 'rejected' THEN iif(problem_code = 'ON_DNC', iif(${isHeld}, 'held', 'dnc'), 'rejected')
        WHEN state = 'cancelled' AND resolution IS NULL THEN iif(phone = '', 'erased', 'cancelled')
        WHEN resolution = 'marked-done' AND service_id IS NULL THEN 'no-id'
        WHEN state IN ('unknown', 'cancelled') OR service_id IS NULL OR sharing > 1 THEN 'unclear'
        ELSE iif(reported IS NULL, 'no-report', 'reported')
      END AS outcome,
      iif(reported IN ('delivered', 'submitted'), NULL,
        (SELECT e.error_code ${reportsOf('service_id', 'reported')} ORDER BY e.seq DESC LIMIT 1)) AS code
    FROM found
  )`

/**
 * Messages that certainly did not arrive and may be sent again: a signed report says failed, for a cause that may pass, no record of the
 * service says delivered, and the same number got no other message of this template since.
 */
const retryable = `outcome = 'reported' AND reported = 'failed' AND code IN (${passingCodes.join(', ')}) AND phone <> ''
  AND EXISTS (SELECT 1 ${reportsOf('j.service_id', `'failed'`)} AND e.verdict = 'signed')
  AND NOT EXISTS (SELECT 1 FROM recovered WHERE message_id = j.service_id AND status = 'delivered')
  AND NOT EXISTS (
    SELECT 1 FROM message_lookups WHERE message_id = j.service_id AND json_extract(record_json, '$.status') = 'delivered')
  AND NOT EXISTS (
    SELECT 1 FROM outbox later WHERE later.operation = 'send-ott' AND later.phone = j.phone AND later.id > j.id
      AND later.state NOT IN ('rejected', 'cancelled')
      AND json_extract(later.body_json, '$.templateId') = json_extract(j.body_json, '$.templateId'))`

/** Whether an item may be sent again, judged now. */
export function retryableReader(db: Database): (itemId: number) => boolean {
  const one = db
    .prepare<[number], number>(`${judged('id = ?')} SELECT id FROM judged j WHERE ${retryable}`)
    .pluck()
  return (itemId) => one.get(itemId) === itemId
}

/** Status, error code and arrival of a message's furthest report; null without one. */
export function reportReader(db: Database) {
  addTextFunctions(db)
  const find = db.prepare<
    { id: string },
    { status: string | null; code: number | null; atMs: number | null }
  >(
    `SELECT f.status, r.error_code AS code, r.received_ms AS atMs FROM (SELECT ${statusOf(':id')} AS status) f
     LEFT JOIN events r ON r.seq = (SELECT max(e.seq) ${reportsOf(':id', 'f.status')})`,
  )
  return (messageId: string) => {
    const report = find.get({ id: messageId })
    return report && report.status !== null ? report : null
  }
}

/** Counts a batch's messages by result, and those sent again; lists the items that may be sent again. */
export function countReports({ stateFile, batchId }: JobFiles & { batchId: string }): Promise<{
  counts: ReportCount[]
  retryable: number[]
  retried: number
}> {
  const { db, close } = openReader(stateFile)
  try {
    addTextFunctions(db)
    const counts = db
      .prepare<[string], ReportCount>(
        `${judged('batch_id = ?')} SELECT outcome, iif(outcome = 'reported', reported, NULL) AS status,
           iif(outcome = 'reported', code, NULL) AS code, count(*) AS count FROM judged GROUP BY 1, 2, 3`,
      )
      .all(batchId)
    const ids = db
      .prepare<[string], number>(
        `${judged('batch_id = ?')} SELECT id FROM judged j WHERE ${retryable} ORDER BY id`,
      )
      .pluck()
      .all(batchId)
    const retried = db
      .prepare<[string], number>(
        `SELECT count(*) FROM outbox WHERE batch_id = ? AND EXISTS (
           SELECT 1 FROM outbox o INDEXED BY outbox_again_of WHERE o.again_of = outbox.id AND o.state <> 'cancelled')`,
      )
      .pluck()
      .get(batchId)!
    return Promise.resolve({ counts, retryable: ids, retried })
  } finally {
    close()
  }
}
