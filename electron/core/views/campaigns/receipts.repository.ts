import type { PauseReceipt } from '../../../contract/views/campaigns.ts'
import type { Campaign } from '../../../contract/domain.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'

/** What was known of a campaign before its pause; null for unknown. */
export type CampaignBefore = Pick<Campaign, 'id' | 'name' | 'sentCount' | 'status'>

/** A stored receipt; times in milliseconds since 1970. */
export interface StoredReceipt {
  id: number
  campaignId: string
  title: string
  by: PauseReceipt['by']
  state: PauseReceipt['state']
  sentMs: number
  pausedMs: number | null
  sentBefore: number | null
  sentAtPause: number | null
  sentLast: number | null
  movedAfterMs: number | null
  movedUntilMs: number | null
  readMs: number | null
  reads: number
  longestGapMs: number
  endedMs: number | null
  status: string | null
}

const columns = `id, campaign_id AS campaignId, title, by, state, sent_ms AS sentMs, paused_ms AS pausedMs,
  sent_before AS sentBefore, sent_at_pause AS sentAtPause, sent_last AS sentLast,
  moved_after_ms AS movedAfterMs, moved_until_ms AS movedUntilMs, read_ms AS readMs, reads,
  longest_gap_ms AS longestGapMs, ended_ms AS endedMs, status`

export type ReceiptsRepository = ReturnType<typeof createReceiptsRepository>

/** Pause receipts, in `state.db`: one row per pause, never thinned. */
export function createReceiptsRepository(db: Database) {
  const insert = db.prepare<[string, string, string, number, number | null, string | null]>(
    `INSERT INTO pause_receipts (campaign_id, title, by, state, sent_ms, sent_before, status)
     VALUES (?, ?, ?, 'sent', ?, ?, ?)`,
  )
  const get = db.prepare<[number], StoredReceipt>(`SELECT ${columns} FROM pause_receipts WHERE id = ?`)
  const put = db.prepare(
    `UPDATE pause_receipts SET state = :state, paused_ms = :pausedMs, sent_at_pause = :sentAtPause, sent_last = :sentLast,
       moved_after_ms = :movedAfterMs,
       moved_until_ms = :movedUntilMs, read_ms = :readMs, reads = :reads, longest_gap_ms = :longestGapMs,
       ended_ms = :endedMs, status = :status WHERE id = :id`,
  )
  const remove = db.prepare<[number]>('DELETE FROM pause_receipts WHERE id = ?')
  const open = db.prepare<[], StoredReceipt>(
    `SELECT ${columns} FROM pause_receipts WHERE ended_ms IS NULL ORDER BY read_ms NULLS FIRST, id`,
  )
  const of = db.prepare<[string, number], StoredReceipt>(
    `SELECT ${columns} FROM pause_receipts WHERE campaign_id = ? ORDER BY id DESC LIMIT ?`,
  )
  const resumed = db.prepare<[number], StoredReceipt>(
    `SELECT ${columns} FROM pause_receipts WHERE id IN (SELECT max(id) FROM pause_receipts GROUP BY campaign_id)
       AND state = 'left-paused' AND status = 'running' AND ended_ms >= ? ORDER BY ended_ms DESC`,
  )
  return {
    /** Commits that a pause is about to be sent. Returns the receipt's id. */
    begin: (before: CampaignBefore, title: string, by: PauseReceipt['by'], nowMs: number): number =>
      Number(insert.run(before.id, title, by, nowMs, before.sentCount, before.status).lastInsertRowid),
    get: (id: number) => get.get(id) ?? null,
    put: (receipt: StoredReceipt) => void put.run(receipt),
    remove: (id: number) => void remove.run(id),
    /** Open ones, the one read longest ago first. */
    open: () => open.all(),
    /** The last pauses of campaigns that ran again after a confirmed pause, since then. */
    resumed: (sinceMs: number) => resumed.all(sinceMs),
    /** Newest first. */
    of: (campaignId: string, limit: number) => of.all(campaignId, limit),
  }
}

/** A stored receipt as the contract has it. */
export function toReceipt(stored: StoredReceipt): PauseReceipt {
  const { sentMs, pausedMs, movedAfterMs, movedUntilMs, readMs, endedMs, ...rest } = stored
  return {
    ...rest,
    sentAt: isoTime(sentMs),
    pausedAt: isoTime(pausedMs),
    movedAfter: isoTime(movedAfterMs),
    movedUntil: isoTime(movedUntilMs),
    readAt: isoTime(readMs),
    endedAt: isoTime(endedMs),
  }
}
