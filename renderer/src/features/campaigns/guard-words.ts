import type { Guard, GuardMode, GuardRules, GuardTrip } from '#contract/campaign-guards.ts'
import type { IconName } from '../../shared/ui/icons.ts'

/** What a guard does in each mode. */
export const modeChoices = [
  { value: 'off', label: 'Off' },
  { value: 'notify', label: 'Notify' },
  { value: 'armed', label: 'Armed' },
] as const satisfies readonly { value: GuardMode; label: string }[]

/** A guard's rules as its form holds them: which are on, and numbers as they were typed last. */
export interface GuardDraft {
  failedShare: { on: boolean; percent: number | null; minSent: number | null }
  stalled: { on: boolean; minutes: number | null }
  errorShare: {
    on: boolean
    code: number | null
    percent: number | null
    minReports: number | null
    minutes: number | null
  }
}

/** The form of a guard; without one, usual thresholds with the failed share on. */
export function draftOf(guard: Guard | null): GuardDraft {
  const rules = guard?.rules
  return {
    failedShare: {
      on: !rules || rules.failedShare !== null,
      percent: 10,
      minSent: 500,
      ...rules?.failedShare,
    },
    stalled: { on: (rules?.stalled ?? null) !== null, minutes: 10, ...rules?.stalled },
    errorShare: {
      on: (rules?.errorShare ?? null) !== null,
      code: null,
      percent: 20,
      minReports: 200,
      minutes: 10,
      ...rules?.errorShare,
    },
  }
}

/** The rules a form stands for; null where a number is missing. */
export function rulesOf({ failedShare, stalled, errorShare }: GuardDraft): GuardRules | null {
  const complete = [
    !failedShare.on || (failedShare.percent !== null && failedShare.minSent !== null),
    !stalled.on || stalled.minutes !== null,
    !errorShare.on ||
      (errorShare.percent !== null && errorShare.minReports !== null && errorShare.minutes !== null),
  ].every(Boolean)
  if (!complete) return null
  return {
    failedShare: failedShare.on
      ? { percent: failedShare.percent!, minSent: Math.round(failedShare.minSent!) }
      : null,
    stalled: stalled.on ? { minutes: Math.round(stalled.minutes!) } : null,
    errorShare: errorShare.on
      ? {
          code: errorShare.code === null ? null : Math.round(errorShare.code),
          percent: errorShare.percent!,
          minReports: Math.round(errorShare.minReports!),
          minutes: Math.round(errorShare.minutes!),
        }
      : null,
  }
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
