import { type Database, openReader } from '../../database/open.ts'
import type { OutboxOperation } from '../../contract/people/outbox.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { loadBlockedRecipients } from './blocked-recipients.ts'

/** An unconfirmed request. `sentMs`: of its message; null if it sent none. */
export interface Unconfirmed {
  id: number
  operation: OutboxOperation
  phone: string
  others: readonly number[]
  sentMs: number | null
}

export interface ProbableReport {
  itemId: number
  messageId: string
  status: string
  receivedMs: number
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** A message with such a report didn't arrive, unless another says so. */
const failures: ReadonlySet<string> = new Set(['failed', 'rejected', 'expired'])
/** Reports read between two looks for a cancel. */
const perPiece = 10_000

/**
 * What speaks against resending unconfirmed requests: the ids of those that mustn't be contacted, none with `reportsOnly`, and for each message
 * the newest report of an arrival that it may have: of its number, of the day after it was sent, and of no other message that Switchboard sent
 * to that number.
 */
export async function checkResend(
  { items, reportsOnly, ...files }: JobFiles & { items: readonly Unconfirmed[]; reportsOnly: boolean },
  control: Pick<JobControl, 'yieldToMessages'>,
): Promise<{ reports: ProbableReport[]; blockedIds: number[] }> {
  const { db, close } = openReader(files.stateFile)
  try {
    const reports = await probableReports(db, items, control)
    return { reports, blockedIds: reportsOnly ? [] : blockedIdsOf(files, items) }
  } finally {
    close()
  }
}

function blockedIdsOf(files: JobFiles, items: readonly Unconfirmed[]): number[] {
  const { isBlocked, close } = loadBlockedRecipients(files)
  try {
    return items.filter(isBlocked).map(({ id }) => id)
  } finally {
    close()
  }
}

async function probableReports(
  db: Database,
  items: readonly Unconfirmed[],
  control: Pick<JobControl, 'yieldToMessages'>,
): Promise<ProbableReport[]> {
  const open = new Map<string, { id: number; sentMs: number }[]>()
  let [fromMs, toMs] = [Infinity, -Infinity]
  for (const { id, operation, phone, sentMs } of items) {
    if (operation !== 'send-ott' || sentMs === null) continue
    open.set(phone, [...(open.get(phone) ?? []), { id, sentMs }])
    fromMs = Math.min(fromMs, sentMs)
    toMs = Math.max(toMs, sentMs + dayMs)
  }
  if (open.size === 0) return []
  const isOwn = db
    .prepare<[string, string], number>(
      `SELECT 1 FROM outbox INDEXED BY outbox_sent_to WHERE operation = 'send-ott' AND phone = ? AND service_id = ?`,
    )
    .pluck()
  const reports = db.prepare<
    { fromMs: number; toMs: number },
    { messageId: string; number: string; status: string; receivedMs: number }
  >(
    `WITH bounds AS (
       SELECT min(first_seq) AS first, max(last_seq) AS last FROM arrivals
       WHERE grain_ms = ${hourMs} AND bucket_ms > :fromMs - ${hourMs} AND bucket_ms < :toMs
     )
     SELECT message_id AS messageId, number, status, received_ms AS receivedMs FROM events NOT INDEXED
     WHERE seq >= (SELECT first FROM bounds) AND seq <= (SELECT last FROM bounds)
       AND kind = 'dlr' AND received_ms >= :fromMs AND received_ms < :toMs
       AND message_id IS NOT NULL AND number IS NOT NULL AND status IS NOT NULL ORDER BY seq DESC`,
  )
  const found: ProbableReport[] = []
  const failed = new Set<string>()
  let read = 0
  for (const { number, ...report } of reports.iterate({ fromMs, toMs })) {
    if (++read % perPiece === 0) await control.yieldToMessages()
    if (failures.has(report.status)) failed.add(report.messageId)
    if (failed.has(report.messageId) && report.status !== 'delivered') continue
    const phone = `+${number.replace(/\D/g, '')}`
    const waiting = open.get(phone)
    if (!waiting || isOwn.get(phone, report.messageId) === 1) continue
    const left = waiting.filter(({ id, sentMs }) => {
      const { receivedMs } = report
      const isIts = receivedMs >= sentMs && receivedMs < sentMs + dayMs
      if (isIts) found.push({ itemId: id, ...report })
      return !isIts
    })
    if (left.length > 0) open.set(phone, left)
    else open.delete(phone)
    if (open.size === 0) break
  }
  return found
}
