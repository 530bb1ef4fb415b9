import type { OutputOf } from '#contract/define.ts'
import type { sendReportsContract } from '#contract/views/send-reports.ts'
import { statusText } from '../../shared/format/status.ts'
import { skippedWord } from './send-words.ts'
import { t } from './templates.texts.ts'

type SendReports = OutputOf<typeof sendReportsContract, 'get'>
type ReportCount = SendReports['counts'][number]

const failed = ['failed', 'rejected']
const final = ['delivered', 'expired', ...failed]
const isFailure = ({ status }: ReportCount) =>
  status !== null && (failed.includes(status) || status === 'expired')

const sum = (counts: readonly ReportCount[]) => counts.reduce((all, { count }) => all + count, 0)

/** Shown only if there are any: messages that weren't sent, and why, and those that can't get a report. */
const rare = [
  ['no-id', () => t('reports.noId'), 'quiet'],
  ['rejected', () => statusText('rejected'), 'bad'],
  ['dnc', () => skippedWord('dnc'), 'bad'],
  ['held', () => skippedWord('held'), 'warn'],
  ['erased', () => t('outcome.erased'), 'quiet'],
  ['cancelled', () => statusText('messageCancelled'), 'quiet'],
] as const

export function reportFigures({ counts }: SendReports) {
  const ofStatus = (...statuses: string[]) =>
    sum(counts.filter(({ status }) => status !== null && statuses.includes(status)))
  const of = (outcome: ReportCount['outcome']) => sum(counts.filter((one) => one.outcome === outcome))
  const moving = of('reported') - ofStatus(...final)
  return [
    { label: statusText('delivered'), count: ofStatus('delivered'), tone: 'ok' as const },
    { label: t('reports.moving'), count: moving, tone: 'info' as const },
    { label: t('reports.none'), count: of('no-report'), tone: 'quiet' as const },
    { label: statusText('expired'), count: ofStatus('expired'), tone: 'warn' as const },
    { label: statusText('failed'), count: ofStatus(...failed), tone: 'bad' as const },
    { label: t('reports.unclear'), count: of('unclear'), tone: 'warn' as const },
    ...rare.flatMap(([outcome, label, tone]) => {
      const count = of(outcome)
      return count === 0 ? [] : { label: label(), count, tone }
    }),
    { label: t('reports.waiting'), count: of('waiting'), tone: 'quiet' as const },
  ]
}

/** Messages that the service accepted, each with an ID of its own, or that you marked as done. */
export const acceptedCount = ({ counts }: SendReports): number =>
  sum(counts.filter(({ outcome }) => ['no-report', 'no-id', 'reported'].includes(outcome)))

export const deliveredCount = ({ counts }: SendReports): number =>
  sum(counts.filter(({ status }) => status === 'delivered'))

/** Failed and expired messages by status and code, most first. */
export const failures = ({ counts }: SendReports): ReportCount[] =>
  counts.filter(isFailure).toSorted((a, b) => b.count - a.count)

/** Whether further reports are expected. */
export const isSettled = ({ counts }: SendReports): boolean =>
  counts.every(({ outcome, status }) =>
    outcome === 'reported' ? final.includes(status ?? '') : outcome !== 'waiting' && outcome !== 'no-report',
  )

/** Longest pause between readings. */
const longestPauseMs = 2 * 60_000

/**
 * Pause until the reports of a send are read again: longer the longer they stay the same, because some never come. Joining those of
 * 100,000 messages takes a thread about three seconds, so only small sends are read each second.
 */
export function readAgainMs(messages: number, unchangedMs: number): number {
  let pauseMs = messages > 20_000 ? 30_000 : messages > 2_000 ? 5_000 : 1_000
  // In steps: a pause that changes begins again.
  while (pauseMs * 2 <= Math.min(unchangedMs / 10, longestPauseMs)) pauseMs *= 2
  return pauseMs
}
