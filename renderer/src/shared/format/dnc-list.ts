import type { ContactRow } from '#contract/people/contacts.ts'
import type { DncList, OfflineVerdict } from '#contract/people/dnc.ts'
import { t } from '../i18n/shared.texts.ts'
import { formatAge } from './time.ts'

/** Why recipients or contacts can't all be checked against the offline DNC copy; null when they can. */
export function listWarning(
  { state, asOf }: DncList,
  nowMs = Date.now(),
  who: 'recipients' | 'contacts' = 'recipients',
): string | null {
  switch (state) {
    case 'fresh':
      return null
    case 'never':
    case 'partial':
      return t(who === 'contacts' ? `dncList.${state}Contacts` : `dncList.${state}`)
    case 'team-stale':
      return t('dncList.team-stale')
    case 'stale':
      return t('dncList.stale', { age: asOf === null ? t('time.unknown') : formatAge(asOf, nowMs) })
  }
}

/** Longer than between two reads of the team's log. */
const readEveryMs = 60_000

/** That colleagues' newest holds are unknown, while the list still counts; null when they are known. */
export function teamNote({ state, teamReadAt }: DncList, nowMs = Date.now()): string | null {
  if (teamReadAt === null || state === 'team-stale') return null
  return nowMs - Date.parse(teamReadAt) > readEveryMs
    ? t('dncList.teamAge', { age: formatAge(teamReadAt, nowMs) })
    : null
}

/** Why a contact must not be contacted: the surest reason, or `maybe` if an unreadable entry may be its number. Null if it may. */
export function blockOf({
  dnc,
  held,
  unsure,
}: Pick<ContactRow, 'dnc' | 'held' | 'unsure'>): 'dnc' | 'held' | 'maybe' | null {
  if (dnc && !unsure.includes('dnc')) return 'dnc'
  if (held && !unsure.includes('held')) return 'held'
  return dnc || held ? 'maybe' : null
}

/** A verdict as it is shown: `maybe-listed` if an entry or a hold may have the number, `not-known` if only the copy isn't fresh. */
export const shownVerdict = ({
  verdict,
  source,
}: Pick<OfflineVerdict, 'verdict' | 'source'>): OfflineVerdict['verdict'] | 'maybe-listed' =>
  verdict === 'not-known' && source !== 'none' ? 'maybe-listed' : verdict
