import type { CampaignPoint } from '../../../contract/views/campaigns.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { type Snapshot, watchGapMs } from './campaign-motion.ts'

/** Most points of one history; a chart has fewer pixels. */
export const pointsMax = 600
/** Points further apart than this many median distances are not joined. */
const gapFactor = 4

/** Snapshots, oldest first, as at most `pointsMax` points, with breaks where readings are missing. */
export function pointsOf(snapshots: readonly Snapshot[]): CampaignPoint[] {
  const step = Math.max(1, Math.ceil(snapshots.length / pointsMax))
  // Counted from the end, to keep the newest.
  const shown = snapshots.filter((_one, at) => (snapshots.length - 1 - at) % step === 0)
  const usualMs = medianDistanceMs(shown)
  return shown.map(({ atMs, untilMs, sent, failed, status }, at) => {
    const before = shown[at - 1]
    const distanceMs = before ? atMs - before.untilMs : 0
    return {
      at: isoTime(atMs),
      until: isoTime(untilMs),
      sent,
      failed,
      status,
      afterGap: distanceMs > Math.max(watchGapMs, usualMs * gapFactor),
    }
  })
}

function medianDistanceMs(snapshots: readonly Snapshot[]): number {
  const distances = snapshots.slice(1).map(({ atMs }, at) => atMs - snapshots[at]!.untilMs)
  return distances.sort((a, b) => a - b)[distances.length >> 1] ?? 0
}
