import type { ContactRow } from '#contract/people/contacts.ts'
import type { DncCache, DncList, OfflineVerdict } from '#contract/people/dnc.ts'
import { t } from '../i18n/shared.texts.ts'
import { formatCount } from './numbers.ts'
import type { StatusLook } from './status.ts'
import { formatAge } from './time.ts'

/** Whether someone must agree to send without a DNC check. With outdated team holds, messages wait instead. */
export const needsChoice = ({ state }: DncList): boolean => state !== 'fresh' && state !== 'team-stale'

const ageOf = (time: string | null) => (time === null ? t('time.unknown') : formatAge(time))

/** Why recipients or contacts can't all be checked against the offline DNC copy and the team's holds; null when they can. */
export function listWarning(
  { state, asOf, teamReadAt }: DncList,
  who: 'recipients' | 'contacts' = 'recipients',
): string | null {
  switch (state) {
    case 'fresh':
      return null
    case 'never':
    case 'partial':
    case 'unreadable':
      return t(who === 'contacts' ? `dncList.${state}Contacts` : `dncList.${state}`)
    case 'other-key':
      return t('dncList.other-key')
    case 'team-stale':
      return t('dncList.team-stale', { age: ageOf(teamReadAt) })
    case 'stale':
      return t('dncList.stale', { age: ageOf(asOf) })
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

const looks = {
  fresh: ['ok', 'check'],
  stale: ['warn', 'clock'],
  'other-key': ['warn', 'warning'],
  'team-stale': ['warn', 'clock'],
  partial: ['warn', 'warning'],
  unreadable: ['warn', 'warning'],
  never: ['warn', 'warning'],
} as const

/** How the offline copy is shown. Entries that vanished at once, a failed sync and unreadable entries leave nothing green. */
export function listLook({
  state,
  entries,
  kept,
  unreadable,
  sync,
}: Pick<DncCache, 'state' | 'entries' | 'kept' | 'unreadable' | 'sync'>): StatusLook {
  const [tone, icon] = looks[state]
  if (kept > 0)
    return {
      tone: 'bad',
      icon: 'warning',
      label: t(kept === entries ? 'dncList.look.empty' : 'dncList.look.shorter'),
    }
  if (state !== 'fresh') return { tone, icon, label: t(`dncList.look.${state}`) }
  const isFailed = sync?.state === 'failed'
  const label = t(isFailed ? 'dncList.look.failed' : 'dncList.look.fresh')
  return isFailed || unreadable > 0 ? { tone: 'warn', icon: 'warning', label } : { tone, icon, label }
}

/** A verdict as it is shown: `maybe-listed` if an entry or a hold may have the number, `not-known` if only the copy isn't fresh. */
export const shownVerdict = ({
  verdict,
  source,
}: Pick<OfflineVerdict, 'verdict' | 'source'>): OfflineVerdict['verdict'] | 'maybe-listed' =>
  verdict === 'not-known' && source !== 'none' ? 'maybe-listed' : verdict
