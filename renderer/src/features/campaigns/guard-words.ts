import type { Guard, GuardMode, GuardRules, GuardTrip } from '#contract/campaign-guards.ts'
import type { IconName } from '../../shared/ui/icons.ts'

/** What a guard does in each mode. */
export const modeChoices = [
  { value: 'off', label: 'Off' },
  { value: 'notify', label: 'Notify' },
  { value: 'armed', label: 'Armed' },
] as const satisfies readonly { value: GuardMode; label: string }[]

/** A mode within a sentence or behind a name. */
export const modeWords: Record<GuardMode, string> = {
  off: 'off: not guarded',
  notify: 'notify only',
  armed: 'armed: pauses once',
}

/** Numbers of a guard's form, by the rule they belong to. */
export const guardNumbers = {
  failedShare: {
    percent: { name: 'The failed share', least: 0.1, most: 100, isWhole: false },
    minSent: { name: 'The number of sent messages', least: 1, most: 10_000_000, isWhole: true },
  },
  stalled: { minutes: { name: 'The number of minutes', least: 1, most: 1_440, isWhole: true } },
  errorShare: {
    percent: { name: 'The share of reports', least: 0.1, most: 100, isWhole: false },
    minReports: { name: 'The number of reports', least: 1, most: 1_000_000, isWhole: true },
    minutes: { name: 'The number of minutes', least: 1, most: 60, isWhole: true },
  },
} as const

/** A guard's rules as its form holds them: which are on, and numbers as they were typed. */
export interface GuardDraft {
  failedShare: { on: boolean; percent: string; minSent: string }
  stalled: { on: boolean; minutes: string }
  errorShare: { on: boolean; code: string; percent: string; minReports: string; minutes: string }
}

/** The form of a guard; without one, usual thresholds with the failed share on. */
export function draftOf(guard: Guard | null): GuardDraft {
  const { failedShare, stalled, errorShare } = guard?.rules ?? {}
  return {
    failedShare: {
      on: !guard || failedShare !== null,
      percent: String(failedShare?.percent ?? 10),
      minSent: String(failedShare?.minSent ?? 500),
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

/** What is wrong with a number as it was typed, as a sentence; null when nothing is. It is never put right in silence. */
export function wrongWith(
  text: string,
  { name, least, most, isWhole }: { name: string; least: number; most: number; isWhole: boolean },
): string | null {
  const typed = text.trim()
  if (typed === '') return `${name} is missing.`
  if (!isWhole && /^\d+,\d+$/.test(typed))
    return `${name} takes a decimal point: ${typed.replace(',', '.')}, not ${typed}.`
  if (!/^-?\d+(\.\d+)?$/.test(typed)) return `${name} is not a number: ${typed}.`
  const value = Number(typed)
  if (isWhole && !Number.isInteger(value)) return `${name} is a whole number.`
  if (value < least || value > most)
    return `${name} lies between ${least} and ${most.toLocaleString('en')}, not at ${typed}.`
  return null
}

/** What is wrong with each number of the rules that are on, under `rule.number`. */
export function wrongOf(draft: GuardDraft): ReadonlyMap<string, string> {
  const wrong = new Map<string, string>()
  for (const [rule, numbers] of Object.entries(guardNumbers)) {
    const typed = draft[rule as keyof GuardDraft] as Record<string, string | boolean>
    if (typed['on'] !== true) continue
    for (const [number, bounds] of Object.entries(numbers)) {
      const sentence = wrongWith(String(typed[number]), bounds)
      if (sentence !== null) wrong.set(`${rule}.${number}`, sentence)
    }
  }
  const { on, code } = draft.errorShare
  if (on && !/^-?\d{0,15}$/.test(code.trim()))
    wrong.set('errorShare.code', `The error code is a whole number, or empty for any: ${code.trim()}.`)
  return wrong
}

/** The rules a form stands for; null where a number is wrong. */
export function rulesOf(draft: GuardDraft): GuardRules | null {
  if (wrongOf(draft).size > 0) return null
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

/** Each rule that is on as a sentence. */
export function ruleWords({ failedShare, stalled, errorShare }: GuardRules): string[] {
  const count = (value: number) => value.toLocaleString('en')
  return [
    ...(failedShare
      ? [`${failedShare.percent}% or more failed, from ${count(failedShare.minSent)} sent on`]
      : []),
    ...(stalled ? [`the sent count stands still for ${stalled.minutes} min while recipients are left`] : []),
    ...(errorShare
      ? [
          `${errorShare.percent}% or more of the last ${errorShare.minutes} min’s delivery reports, of all traffic, carry ${errorShare.code === null ? 'an error code' : `error code ${errorShare.code}`}, from ${count(errorShare.minReports)} reports on`,
        ]
      : []),
  ]
}

const pauseLooks: Record<
  NonNullable<GuardTrip['pause']>['state'],
  { said: string; tone: 'ok' | 'warn' | 'bad'; icon: IconName }
> = {
  deciding: { said: 'Pausing', tone: 'warn', icon: 'pause' },
  sent: { said: 'Pause sent, not confirmed yet', tone: 'warn', icon: 'pause' },
  paused: { said: 'Paused', tone: 'ok', icon: 'check' },
  'already-paused': { said: 'Was paused already', tone: 'ok', icon: 'check' },
  'not-running': { said: 'No longer running', tone: 'warn', icon: 'info' },
  refused: { said: 'Pause refused', tone: 'bad', icon: 'warning' },
  unknown: { said: 'Pause in doubt', tone: 'bad', icon: 'warning' },
  'not-sent': { said: 'Pause not sent; armed again', tone: 'warn', icon: 'warning' },
}

/** A trip in two words and a colour. */
export function tripLook({ pause }: GuardTrip) {
  return pause ? pauseLooks[pause.state] : ({ said: 'Tripped', tone: 'warn', icon: 'warning' } as const)
}

/** The ids of campaigns that share their name with another one among the trips: their name alone does not tell them apart. */
export function ofRepeatedNames(trips: readonly Pick<GuardTrip, 'campaignId' | 'title'>[]): Set<string> {
  const idsOf = new Map<string, Set<string>>()
  for (const { campaignId, title } of trips)
    idsOf.set(title, (idsOf.get(title) ?? new Set<string>()).add(campaignId))
  return new Set([...idsOf.values()].filter(({ size }) => size > 1).flatMap((ids) => [...ids]))
}
