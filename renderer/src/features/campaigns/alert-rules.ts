import {
  type AlertConditions,
  type AlertRule,
  tooManyFailed,
  type TriggeredAlert,
} from '#contract/views/campaign-alert-rules.ts'
import { formatCount } from '../../shared/format/numbers.ts'
import type { IconName } from '../../shared/ui/icons.ts'
import { t } from './campaigns.texts.ts'

/** Bounds and labels of a rule's numbers, by condition. */
const bounds = {
  failedShare: {
    percent: { label: 'editor.failedPercent', least: 0.1, most: 100, isWhole: false },
    minSent: { label: 'editor.minSent', least: 1, most: 10_000_000, isWhole: true },
  },
  stalled: { minutes: { label: 'editor.stalledMinutes', least: 1, most: 1_440, isWhole: true } },
  errorShare: {
    percent: { label: 'editor.reportPercent', least: 0.1, most: 100, isWhole: false },
    minReports: { label: 'editor.minReports', least: 1, most: 1_000_000, isWhole: true },
    minutes: { label: 'editor.reportMinutes', least: 1, most: 60, isWhole: true },
  },
} as const

/** A rule as its form holds it: which conditions are on, and numbers as typed. */
export interface RuleDraft {
  failedShare: { on: boolean; percent: string; minSent: string }
  stalled: { on: boolean; minutes: string }
  errorShare: { on: boolean; code: string; percent: string; minReports: string; minutes: string }
}

/** The form of a rule; without one, default numbers with the failure rate on. */
export function draftOf(alertRule: AlertRule | null): RuleDraft {
  const { failedShare, stalled, errorShare } = alertRule?.rules ?? {}
  return {
    failedShare: {
      on: !alertRule || failedShare !== null,
      percent: String(failedShare?.percent ?? tooManyFailed.percent),
      minSent: String(failedShare?.minSent ?? tooManyFailed.minSent),
    },
    stalled: { on: (stalled ?? null) !== null, minutes: String(stalled?.minutes ?? 10) },
    errorShare: {
      on: (errorShare ?? null) !== null,
      code: String(errorShare?.code ?? ''),
      percent: String(errorShare?.percent ?? 20),
      minReports: String(errorShare?.minReports ?? 200),
      minutes: String(errorShare?.minutes ?? 10),
    },
  }
}

/** Why a number can't be used, as typed; null if it can. It is never corrected silently. */
function problemWith(
  text: string,
  field: string,
  { least, most, isWhole }: { least: number; most: number; isWhole: boolean },
): string | null {
  const typed = text.trim()
  if (typed === '') return t('editor.problem.missing', { field })
  if (!isWhole && /^\d+,\d+$/.test(typed))
    return t('editor.problem.comma', { field, example: typed.replace(',', '.') })
  if (!/^-?\d+(\.\d+)?$/.test(typed)) return t('editor.problem.notANumber', { field, typed })
  const value = Number(typed)
  if (isWhole && !Number.isInteger(value)) return t('editor.problem.whole', { field })
  if (value < least || value > most)
    return t('editor.problem.range', { field, least: String(least), most: formatCount(most) })
  return null
}

/** Problems of the conditions that are on, by `condition.number`. */
export function problemsOf(draft: RuleDraft): ReadonlyMap<string, string> {
  const problems = new Map<string, string>()
  for (const [condition, numbers] of Object.entries(bounds)) {
    const typed = draft[condition as keyof RuleDraft] as Record<string, string | boolean>
    if (typed['on'] !== true) continue
    for (const [number, of] of Object.entries(numbers)) {
      const problem = problemWith(String(typed[number]), t(of.label), of)
      if (problem !== null) problems.set(`${condition}.${number}`, problem)
    }
  }
  const { on, code } = draft.errorShare
  if (on && !/^-?\d{0,15}$/.test(code.trim()))
    problems.set('errorShare.code', t('editor.problem.code', { field: t('editor.errorShare') }))
  return problems
}

/** The conditions in the form; null while it has a problem. */
export function rulesOf(draft: RuleDraft): AlertConditions | null {
  if (problemsOf(draft).size > 0) return null
  const { failedShare, stalled, errorShare } = draft
  return {
    failedShare: failedShare.on
      ? { percent: Number(failedShare.percent), minSent: Number(failedShare.minSent) }
      : null,
    stalled: stalled.on ? { minutes: Number(stalled.minutes) } : null,
    errorShare: errorShare.on
      ? {
          code: errorShare.code.trim() === '' ? null : Number(errorShare.code),
          percent: Number(errorShare.percent),
          minReports: Number(errorShare.minReports),
          minutes: Number(errorShare.minutes),
        }
      : null,
  }
}

export function conditionTexts({ failedShare, stalled, errorShare }: AlertConditions): string[] {
  const texts: string[] = []
  if (failedShare)
    texts.push(
      t('condition.failedShare', {
        percent: String(failedShare.percent),
        sent: failedShare.minSent,
        double: 2 * failedShare.minSent,
        minutes: tooManyFailed.minutes,
      }),
    )
  if (stalled) texts.push(t('condition.stalled', { minutes: stalled.minutes }))
  if (errorShare) {
    const { code, percent, minReports: reports, minutes } = errorShare
    const values = { percent: String(percent), minutes, reports }
    texts.push(
      code === null
        ? t('condition.anyError', values)
        : t('condition.errorShare', { ...values, code: String(code) }),
    )
  }
  return texts
}

const looks: Record<
  NonNullable<TriggeredAlert['pause']>['state'],
  { tone: 'ok' | 'warn' | 'bad'; icon: IconName }
> = {
  deciding: { tone: 'warn', icon: 'pause' },
  sent: { tone: 'warn', icon: 'pause' },
  paused: { tone: 'ok', icon: 'check' },
  'already-paused': { tone: 'ok', icon: 'check' },
  'not-running': { tone: 'warn', icon: 'info' },
  refused: { tone: 'bad', icon: 'warning' },
  unknown: { tone: 'bad', icon: 'warning' },
  'not-sent': { tone: 'warn', icon: 'warning' },
}

export function alertLook({ pause }: TriggeredAlert) {
  return pause
    ? { label: t(`alert.${pause.state}`), ...looks[pause.state] }
    : ({ label: t('alert.triggered'), tone: 'warn', icon: 'warning' } as const)
}

/** Ids of campaigns that share their name with another one among the alerts. */
export function ofRepeatedNames(trips: readonly Pick<TriggeredAlert, 'campaignId' | 'title'>[]): Set<string> {
  const idsOf = new Map<string, Set<string>>()
  for (const { campaignId, title } of trips)
    idsOf.set(title, (idsOf.get(title) ?? new Set<string>()).add(campaignId))
  return new Set([...idsOf.values()].filter(({ size }) => size > 1).flatMap((ids) => [...ids]))
}
