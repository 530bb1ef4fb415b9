import type { PauseReceipt } from '#contract/views/campaigns.ts'
import { formatCount } from '../../shared/format/numbers.ts'
import { statusLook } from '../../shared/format/status.ts'
import { formatDuration, formatTime, formatUtc } from '../../shared/format/time.ts'
import { t } from './campaigns.texts.ts'

export function receiptTitle({ by, pausedAt }: PauseReceipt): string {
  return pausedAt === null ? t(`receipt.unconfirmed.${by}`) : t(`receipt.paused.${by}`)
}

export function receiptSteps(receipt: PauseReceipt): { text: string; time: string; utc: string }[] {
  const { sentAt, pausedAt, movedAfter, movedUntil, sentAtPause, sentLast } = receipt
  const steps = [{ text: t('receipt.requested'), time: formatTime(sentAt), utc: formatUtc(sentAt) }]
  if (pausedAt !== null)
    steps.push({
      text: t('receipt.confirmed'),
      time: formatTime(pausedAt, 'clock'),
      utc: formatUtc(pausedAt),
    })
  if (movedAfter !== null && movedUntil !== null)
    steps.push({
      text: (sentLast ?? 0) < (sentAtPause ?? 0) ? t('receipt.lastChanged') : t('receipt.lastRose'),
      time: t('receipt.between', {
        from: formatTime(movedAfter, 'clock'),
        until: formatTime(movedUntil, 'clock'),
      }),
      utc: `${formatUtc(movedAfter)}–${formatUtc(movedUntil)}`,
    })
  return steps
}

/** The sent counts around the pause; empty without counts. */
export function receiptFigures(receipt: PauseReceipt): { label: string; value: string }[] {
  const { state, sentBefore, sentAtPause, sentLast } = receipt
  if (state === 'no-count' || sentAtPause === null || sentLast === null) return []
  const count = (value: number | null) => (value === null ? t('receipt.unknown') : formatCount(value))
  return [
    ...(sentBefore === sentAtPause ? [] : [{ label: t('receipt.before'), value: count(sentBefore) }]),
    { label: t('receipt.atPause'), value: count(sentAtPause) },
    { label: t('receipt.afterPause'), value: count(sentLast < sentAtPause ? null : sentLast - sentAtPause) },
  ]
}

/** How it ended, and how precise that is: one sentence each. */
export function receiptRemarks(receipt: PauseReceipt): string[] {
  const { state, pausedAt, sentAtPause, sentLast } = receipt
  const status = receipt.status === null ? t('receipt.unknown') : statusLook('campaign', receipt.status).label
  if (state === 'not-read' && pausedAt === null) return [t('receipt.unreadable')]
  if (state === 'sent') return [t('receipt.waiting')]
  if (state === 'not-paused') return [t('receipt.notPaused', { status })]
  if (state === 'no-count' || sentAtPause === null || sentLast === null) return [t('receipt.noCount')]
  const reads = t('receipt.reads', { n: receipt.reads, gap: formatDuration(receipt.longestGapMs) })
  return [
    ...(sentLast < sentAtPause ? [t('receipt.wentBack')] : []),
    t(`receipt.${state}`, { reads, status }),
  ]
}
