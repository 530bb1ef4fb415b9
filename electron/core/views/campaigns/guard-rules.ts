import type { GuardRuleName, GuardRules } from '../../../contract/views/campaign-guards.ts'
import type { Campaign } from '../../../contract/domain.ts'
import type { ReportShare } from '../../live/events/report-share.ts'
import type { Motion } from './campaign-motion.ts'

/** A condition that is met: what was read and the limit, in words. */
export interface Trip {
  rule: GuardRuleName
  reading: string
}

/** What conditions are checked against. */
export interface Evidence {
  campaign: Pick<Campaign, 'sentCount' | 'failedCount'>
  motion: Pick<Motion, 'stillMs' | 'stalled'>
  left: number | null
  reportShare: (code: number | null, minutes: number) => ReportShare
}

/** The conditions that are met. One whose count the service doesn't give is never met. */
export function trippedRules(rules: GuardRules, evidence: Evidence): Trip[] {
  return [failedShare(rules, evidence), stalled(rules, evidence), errorShare(rules, evidence)].filter(
    (trip) => trip !== null,
  )
}

function failedShare({ failedShare: rule }: GuardRules, { campaign }: Evidence): Trip | null {
  const { sentCount: sent, failedCount: failed } = campaign
  if (!rule || sent === null || failed === null) return null
  // The spec doesn't say whether failed messages count as sent.
  const tried = Math.max(sent, failed)
  if (tried <= 0 || tried < rule.minSent || (failed / tried) * 100 < rule.percent) return null
  return {
    rule: 'failed-share',
    reading: `${percent(failed, tried)} failed (${count(failed)} of ${count(tried)} sent); limit ${rule.percent}% after ${count(rule.minSent)} sent`,
  }
}

function stalled({ stalled: rule }: GuardRules, { motion, campaign, left }: Evidence): Trip | null {
  if (!rule || motion.stillMs === null || left === 0 || motion.stillMs < rule.minutes * 60_000) return null
  return {
    rule: 'stalled',
    reading: `no progress for ${Math.floor(motion.stillMs / 60_000)} min at ${count(campaign.sentCount ?? 0)} sent; limit ${rule.minutes} min`,
  }
}

function errorShare({ errorShare: rule }: GuardRules, { reportShare }: Evidence): Trip | null {
  if (!rule) return null
  const { reports, withCode, newestOf } = reportShare(rule.code, rule.minutes)
  if (reports < rule.minReports || reports === 0 || (withCode / reports) * 100 < rule.percent) return null
  const of =
    newestOf === null
      ? `delivery reports in ${rule.minutes} min`
      : `delivery reports among the newest ${count(newestOf)} events (less than ${rule.minutes} min)`
  const what = rule.code === null ? 'an error code' : `error code ${rule.code}`
  return {
    rule: 'error-share',
    reading: `${percent(withCode, reports)} of ${of} have ${what} (${count(withCode)} of ${count(reports)}, all traffic); limit ${rule.percent}% after ${count(rule.minReports)} reports`,
  }
}

const count = (value: number) => value.toLocaleString('en')
const percent = (part: number, whole: number) =>
  `${((part / whole) * 100).toLocaleString('en', { maximumFractionDigits: 1 })}%`
