import type { ContactRow } from '#contract/people/contacts.ts'
import type { DncCache, DncList, OfflineVerdict } from '#contract/people/dnc.ts'
import { t } from '../i18n/shared.texts.ts'
import { formatCount } from './numbers.ts'
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

/** That the service’s list lost many entries at once, which still block; null if it didn’t. */
export function shorterText({ entries, kept }: Pick<DncCache, 'entries' | 'kept'>): string | null {
  if (kept === 0) return null
  if (kept === entries) return t('dncList.empty', { n: kept })
  return t('dncList.shorter', { n: kept, now: formatCount(entries - kept) })
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
