import type { Campaign } from '../../../contract/domain.ts'
import type { Database } from '../../../database/open.ts'
import { type Snapshot, snapshotOf, watchGapMs } from './campaign-motion.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** All readings are kept for an hour, then one per minute for a day, then one per hour for 30 days. */
const thinning = [
  { olderThanMs: hourMs, bucketMs: minuteMs },
  { olderThanMs: dayMs, bucketMs: hourMs },
] as const
const keptMs = 30 * dayMs
/** Most snapshots in total; the oldest go first. About 20 MiB. */
const snapshotsMax = 250_000
/** Most records; those read longest ago go first. */
const recordsMax = 5_000

/** A record with the time it was read. */
export interface KnownCampaign {
  campaign: Campaign
  readMs: number
}

export type SnapshotsRepository = ReturnType<typeof createSnapshotsRepository>

/** Readings and last records of campaigns, in `state.db`. */
export function createSnapshotsRepository(db: Database) {
  const last = db.prepare<[string], Snapshot>(
    'SELECT at_ms AS atMs, until_ms AS untilMs, sent, failed, total, status FROM campaign_snapshots WHERE campaign_id = ? ORDER BY at_ms DESC LIMIT 1',
  )
  const insert = db.prepare(
    `INSERT INTO campaign_snapshots (campaign_id, at_ms, until_ms, sent, failed, total, status)
     VALUES (:id, :atMs, :untilMs, :sent, :failed, :total, :status) ON CONFLICT DO NOTHING`,
  )
  const lengthen = db.prepare<[number, string, number]>(
    'UPDATE campaign_snapshots SET until_ms = ? WHERE campaign_id = ? AND at_ms = ?',
  )
  const dropFuture = db.prepare<[string, number]>(
    'DELETE FROM campaign_snapshots WHERE campaign_id = ? AND at_ms > ?',
  )
  const shorten = db.prepare<[number, string, number]>(
    'UPDATE campaign_snapshots SET until_ms = ? WHERE campaign_id = ? AND until_ms > ?',
  )
  const keepRecord = db.prepare<[string, string, number]>(
    `INSERT INTO campaign_records (campaign_id, record_json, read_ms) VALUES (?, ?, ?)
     ON CONFLICT (campaign_id) DO UPDATE SET record_json = excluded.record_json, read_ms = excluded.read_ms`,
  )
  const since = db.prepare<[string, number], Snapshot>(
    `SELECT at_ms AS atMs, until_ms AS untilMs, sent, failed, total, status FROM campaign_snapshots
     WHERE campaign_id = ? AND until_ms >= ? ORDER BY at_ms`,
  )
  const record = db.prepare<[string], { json: string; readMs: number }>(
    'SELECT record_json AS json, read_ms AS readMs FROM campaign_records WHERE campaign_id = ?',
  )
  // Numbers are bound as REAL, hence the CAST. The bucket's end bounds the search of each row.
  const thinTier = db.prepare(
    `DELETE FROM campaign_snapshots WHERE at_ms < :beforeMs AND EXISTS (
       SELECT 1 FROM campaign_snapshots AS later
       WHERE later.campaign_id = campaign_snapshots.campaign_id AND later.at_ms > campaign_snapshots.at_ms
         AND later.at_ms < min(:beforeMs, (campaign_snapshots.at_ms / CAST(:bucketMs AS INTEGER) + 1) * CAST(:bucketMs AS INTEGER)))`,
  )
  const dropOld = db.prepare<[number]>('DELETE FROM campaign_snapshots WHERE until_ms < ?')
  const dropBeyond = db.prepare<[number]>(
    'DELETE FROM campaign_snapshots WHERE at_ms < (SELECT at_ms FROM campaign_snapshots ORDER BY at_ms DESC LIMIT 1 OFFSET ?)',
  )
  const dropRecords = db.prepare<[number]>(
    'DELETE FROM campaign_records WHERE read_ms < (SELECT read_ms FROM campaign_records ORDER BY read_ms DESC LIMIT 1 OFFSET ?)',
  )
  const reading = db.prepare<[number, number, string, number]>(
    'REPLACE INTO campaign_reading (id, read_ms, running, ids_json, complete) VALUES (1, ?, ?, ?, ?)',
  )
  const readIds = db.prepare<[], string>('SELECT ids_json FROM campaign_reading').pluck()
  const lastReading = db.prepare<[], { readMs: number; running: number; complete: number }>(
    'SELECT read_ms AS readMs, running, complete FROM campaign_reading',
  )

  function noteOne(campaign: Campaign, atMs: number): void {
    if ((last.get(campaign.id)?.untilMs ?? atMs) > atMs) {
      dropFuture.run(campaign.id, atMs)
      shorten.run(atMs, campaign.id, atMs)
    }
    const known = last.get(campaign.id)
    const next = snapshotOf(campaign, atMs)
    const isSame =
      known &&
      known.sent === next.sent &&
      known.failed === next.failed &&
      known.total === next.total &&
      known.status === next.status
    if (isSame && atMs - known.untilMs <= watchGapMs) lengthen.run(atMs, campaign.id, known.atMs)
    else insert.run({ id: campaign.id, ...next })
    keepRecord.run(campaign.id, JSON.stringify(campaign), atMs)
  }

  return {
    /**
     * Stores records read at `atMs`, in one commit. A reading with the same counts as the last extends its snapshot. Snapshots in the
     * future are dropped: the clock was set back.
     */
    note: db.transaction((campaigns: readonly Campaign[], atMs: number) => {
      for (const campaign of campaigns) noteOne(campaign, atMs)
    }),
    /** Oldest first, those that end at or after `fromMs`. */
    since: (campaignId: string, fromMs: number) => since.all(campaignId, fromMs),
    record(campaignId: string): KnownCampaign | null {
      const row = record.get(campaignId)
      return row ? { campaign: JSON.parse(row.json) as Campaign, readMs: row.readMs } : null
    },
    noteReading: (ids: readonly string[], atMs: number, complete: boolean) =>
      void reading.run(atMs, ids.length, JSON.stringify(ids), Number(complete)),
    lastReading: () => lastReading.get() ?? null,
    /** The campaigns that ran at the last reading. */
    lastIds: () => JSON.parse(readIds.get() ?? '[]') as string[],
    /** Drops snapshots that are too old, or too dense for their age. Returns how many. */
    thin: db.transaction((nowMs: number) => {
      let dropped = dropOld.run(nowMs - keptMs).changes + dropBeyond.run(snapshotsMax).changes
      for (const { olderThanMs, bucketMs } of thinning)
        dropped += thinTier.run({ beforeMs: nowMs - olderThanMs, bucketMs }).changes
      dropRecords.run(recordsMax)
      return dropped
    }),
  }
}
