import type { GuardRuleName, GuardRules } from '../../../contract/campaign-guards.ts'
import type { Campaign } from '../../../contract/domain.ts'
import type { ReportShare } from '../../live/events/report-share.ts'
import type { Motion } from './campaign-motion.ts'

/** A rule that tripped, with what was read and the threshold in words. */
export interface Trip {
  rule: GuardRuleName
  reading: string
}

/** What rules are judged by: the record read just now, how it moves, and the reports of the last minutes. */
export interface Evidence {
  campaign: Pick<Campaign, 'sentCount' | 'failedCount'>
  motion: Pick<Motion, 'stillMs' | 'stalled'>
  left: number | null
  reportShare: (code: number | null, minutes: number) => ReportShare
}

/** The rules that trip. A count that the service does not give trips nothing. */
export function trippedRules(rules: GuardRules, evidence: Evidence): Trip[] {
  return [failedShare(rules, evidence), stalled(rules, evidence), errorShare(rules, evidence)].filter(
    (trip) => trip !== null,
  )
}

function failedShare({ failedShare: rule }: GuardRules, { campaign }: Evidence): Trip | null {
  const { sentCount: sent, failedCount: failed } = campaign
  if (!rule || sent === null || failed === null) return null
  // The spec does not say whether failed ones are counted as sent.
  const tried = Math.max(sent, failed)
  if (tried <= 0 || tried < rule.minSent || (failed / tried) * 100 < rule.percent) return null
  return {
    rule: 'failed-share',
    reading: `${percent(failed, tried)} failed (${count(failed)} of ${count(tried)} sent); the threshold is ${rule.percent}% from ${count(rule.minSent)} sent`,
  }
}

function stalled({ stalled: rule }: GuardRules, { motion, campaign, left }: Evidence): Trip | null {
  if (!rule || motion.stillMs === null || left === 0 || motion.stillMs < rule.minutes * 60_000) return null
  return {
    rule: 'stalled',
    reading: `the sent count stood at ${count(campaign.sentCount ?? 0)} for ${Math.floor(motion.stillMs / 60_000)} min; the threshold is ${rule.minutes} min`,
  }
}

function errorShare({ errorShare: rule }: GuardRules, { reportShare }: Evidence): Trip | null {
  if (!rule) return null
  const { reports, withCode, newestOf } = reportShare(rule.code, rule.minutes)
  if (reports < rule.minReports || reports === 0 || (withCode / reports) * 100 < rule.percent) return null
  const of =
    newestOf === null
      ? `all delivery reports of the last ${rule.minutes} min`
      : `the delivery reports among the newest ${count(newestOf)} events, which the last ${rule.minutes} min went beyond,`
  const what = rule.code === null ? 'an error code' : `error code ${rule.code}`
  return {
    rule: 'error-share',
    reading: `${percent(withCode, reports)} of ${of} carried ${what} (${count(withCode)} of ${count(reports)}, all traffic); the threshold is ${rule.percent}% from ${count(rule.minReports)} reports`,
  }
}

const count = (value: number) => value.toLocaleString('en')
const percent = (part: number, whole: number) =>
  `${((part / whole) * 100).toLocaleString('en', { maximumFractionDigits: 1 })}%`
