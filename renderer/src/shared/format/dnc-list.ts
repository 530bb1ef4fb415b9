import type { ContactRow } from '#contract/people/contacts.ts'
import type { DncList, OfflineVerdict } from '#contract/people/dnc.ts'
import { t } from '../i18n/shared.texts.ts'
import { formatAge } from './time.ts'

/** Whether someone must agree to send without a DNC check. With outdated team holds, messages wait instead. */
export const needsChoice = ({ state }: DncList): boolean => state !== 'fresh' && state !== 'team-stale'

const ageOf = (time: string | null, nowMs: number) =>
  time === null ? t('time.unknown') : formatAge(time, nowMs)

/** Why recipients or contacts can't all be checked against the offline DNC copy and the team's holds; null when they can. */
export function listWarning(
  { state, asOf, teamReadAt }: DncList,
  nowMs = Date.now(),
  who: 'recipients' | 'contacts' = 'recipients',
): string | null {
  switch (state) {
    case 'fresh':
      return null
    case 'never':
    case 'partial':
    case 'unreadable':
      return t(who === 'contacts' ? `dncList.${state}Contacts` : `dncList.${state}`)
    case 'team-stale':
      return t('dncList.team-stale', { age: ageOf(teamReadAt, nowMs) })
    case 'stale':
      return t('dncList.stale', { age: ageOf(asOf, nowMs) })
  }
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
