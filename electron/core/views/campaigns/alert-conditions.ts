import {
  type AlertConditionName,
  type AlertConditions,
  shownPercent,
} from '../../../contract/views/campaign-alert-rules.ts'
import type { Campaign } from '../../../contract/domain.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import type { ReportShare } from '../../live/events/report-share.ts'
import type { Motion } from './campaign-motion.ts'

/** A condition that is met: the reading and the limit. */
export interface Trip {
  rule: AlertConditionName
  reading: Phrase
}

/** What conditions are checked against. */
export interface Evidence {
  campaign: Pick<Campaign, 'sentCount' | 'failedCount'>
  motion: Pick<Motion, 'stillMs' | 'stalled' | 'lately'>
  left: number | null
  reportShare: (code: number | null, minutes: number) => ReportShare
}

/** The conditions that are met. One whose count the service doesn't give is never met. */
export function trippedRules(rules: AlertConditions, evidence: Evidence): Trip[] {
  return [failedShare(rules, evidence), stalled(rules, evidence), errorShare(rules, evidence)].filter(
    (trip) => trip !== null,
  )
}

function failedShare({ failedShare: rule }: AlertConditions, { campaign, motion }: Evidence): Trip | null {
  if (!rule) return null
  const { sentCount: sent, failedCount: failed } = campaign
  const inAll = sent === null || failed === null ? null : { sent, failed }
  const values = readingOf(inAll, rule)
  if (values) return { rule: 'failed-share', reading: { key: 'alertRule.failedShare', ...values } }
  const lately = readingOf(motion.lately, { ...rule, minSent: 2 * rule.minSent })
  if (!lately) return null
  const { minutes } = motion.lately!
  return { rule: 'failed-share', reading: { key: 'alertRule.failedLately', minutes, ...lately } }
}

/** The reading if it meets the limit. */
function readingOf(
  counts: { sent: number; failed: number } | null,
  { percent: limit, minSent: min }: NonNullable<AlertConditions['failedShare']>,
) {
  if (!counts) return null
  const { sent, failed } = counts
  // The spec doesn't say whether failed messages count as sent.
  const tried = Math.max(sent, failed)
  if (tried <= 0 || tried < min || shownPercent(failed, tried) < limit) return null
  return { percent: shownPercent(failed, tried), failed, tried, limit, min }
}

function stalled({ stalled: rule }: AlertConditions, { motion, campaign, left }: Evidence): Trip | null {
  if (!rule || motion.stillMs === null || left === 0 || motion.stillMs < rule.minutes * 60_000) return null
  return {
    rule: 'stalled',
    reading: {
      key: 'alertRule.stalled',
      minutes: Math.floor(motion.stillMs / 60_000),
      sent: campaign.sentCount ?? 0,
      limit: rule.minutes,
    },
  }
}

function errorShare({ errorShare: rule }: AlertConditions, { reportShare }: Evidence): Trip | null {
  if (!rule) return null
  const { reports, withCode, newestOf } = reportShare(rule.code, rule.minutes)
  if (reports < rule.minReports || reports === 0 || shownPercent(withCode, reports) < rule.percent)
    return null
  const what: Phrase =
    rule.code === null ? { key: 'alertRule.anyCode' } : { key: 'alertRule.code', code: String(rule.code) }
  const values = {
    percent: shownPercent(withCode, reports),
    what,
    minutes: rule.minutes,
    found: withCode,
    reports,
    limit: rule.percent,
    min: rule.minReports,
  }
  return {
    rule: 'error-share',
    reading:
      newestOf === null
        ? { key: 'alertRule.errorShare', ...values }
        : { key: 'alertRule.errorShareNewest', events: newestOf, ...values },
  }
}
