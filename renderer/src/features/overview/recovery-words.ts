import type { Gap } from '#contract/live/events.ts'
import type { GapRecovery, RecoveryRun } from '#contract/live/recovery.ts'
import { statusLook } from '../../shared/format/status.ts'
import { t } from './overview.texts.ts'

/** The service’s statuses of messages looked up for a gap. */
export function runText({
  read,
  byStatus,
  notFound,
  unreadable,
  unreadableIds,
  endedAt,
}: RecoveryRun): string {
  const results = byStatus.map(({ status, count: n }) =>
    status === null
      ? t('recovery.noStatus', { n })
      : t('recovery.status', { n, status: statusLook('message', status).label }),
  )
  if (notFound > 0) results.push(t('recovery.notFound', { n: notFound }))
  if (unreadable > 0)
    results.push(t('recovery.unreadable', { n: unreadable, ids: namesOf(unreadable, unreadableIds) }))
  const lookedUp = t(endedAt === null ? 'recovery.unfinished' : 'recovery.lookedUp', { n: read })
  return results.length === 0 ? lookedUp : t('recovery.results', { lookedUp, results: results.join(', ') })
}

const shownIds = 3

/** The first IDs. */
const namesOf = (count: number, ids: readonly string[]) =>
  ids.slice(0, shownIds).join(', ') + (count > shownIds ? '…' : '')

/** That replies can't be looked up, for a gap whose deliveries were not sent or no longer retried; null for others. */
export const repliesText = ({ proven, reason }: Pick<Gap, 'proven' | 'reason'>): string | null =>
  proven || reason === 'no-subscription' ? t('recovery.replies') : null

/** How many messages may have missed a report because of a gap, or null. */
export function openText({ open }: Pick<GapRecovery, 'open'>): string | null {
  if (open.value === 0) return null
  return t(open.atLeast ? 'recovery.openAtLeast' : 'recovery.open', { n: open.value })
}
