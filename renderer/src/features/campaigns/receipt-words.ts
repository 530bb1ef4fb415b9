import type { PauseReceipt } from '#contract/campaigns.ts'
import { formatCount, formatCounted } from '../../shared/format/numbers.ts'
import { formatDuration, formatTime } from '../../shared/format/time.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'

const by: Record<PauseReceipt['by'], string> = {
  operator: 'by hand',
  all: 'with all that ran',
  guard: 'by a guard',
}

/** `Paused at 12:04:10 by hand`; for a pause that is not proven, what is known of it. */
export function receiptTitle(receipt: PauseReceipt): string {
  if (receipt.pausedAt !== null) return `Paused at ${formatTime(receipt.pausedAt)} ${by[receipt.by]}`
  const sent = `Pause sent at ${formatTime(receipt.sentAt)} ${by[receipt.by]}`
  if (receipt.state === 'not-read') return sent
  return receipt.state === 'not-paused' ? `${sent}; it was never seen paused` : `${sent}; not proven yet`
}

/** How many still went out, when it stopped, and how close that is known: one sentence each. */
export function receiptSentences(receipt: PauseReceipt): string[] {
  const { sentAtPause, sentLast, sentBefore, movedAfter, movedUntil, status } = receipt
  if (receipt.state === 'not-read' && receipt.pausedAt === null)
    return ['The campaign could not be read any more, so whether it was paused is not known.']
  if (receipt.state === 'sent') return ['The answer was not heard. The campaign is being read.']
  if (receipt.state === 'not-paused')
    return [`The campaign was ${visibleText(status ?? 'of unknown state')} when it was read again.`]
  if (receipt.state === 'no-count' || sentAtPause === null || sentLast === null)
    return ['The service gives no sent count, so what still went out cannot be told.']
  const more = sentLast - sentAtPause
  const before = sentBefore === null ? '' : `${formatCount(sentBefore)} sent before, `
  const counts = `${before}${formatCount(sentAtPause)} at the pause, ${formatCount(sentLast)} at the last reading`
  const sentences = [
    more < 0
      ? `${counts}: the service’s count went back, so what still went out cannot be told.`
      : `${counts}: ${more === 0 ? 'nothing' : formatCounted(more, 'message')} went out after it.`,
  ]
  if (movedAfter !== null && movedUntil !== null)
    sentences.push(
      `The count last ${more < 0 ? 'changed' : 'rose'} between ${formatTime(movedAfter, 'clock')} and ${formatTime(movedUntil, 'clock')}.`,
    )
  sentences.push(endSentence(receipt))
  return sentences
}

function endSentence({ state, status, reads, longestGapMs, readAt }: PauseReceipt): string {
  const known = `${formatCounted(reads, 'reading')}, at most ${formatDuration(longestGapMs)} apart`
  if (state === 'reading')
    return `Still being watched (${known}${readAt === null ? '' : `, the last at ${formatTime(readAt, 'clock')}`}).`
  if (state === 'still-moving') return `It still rose when the watch ended (${known}).`
  if (state === 'not-read')
    return `The watch ended because the campaign could not be read any more (${known}).`
  if (state === 'left-paused')
    return `The watch ended because the campaign is ${visibleText(status ?? 'of unknown state')} (${known}).`
  return `It stood still for three minutes (${known}).`
}
