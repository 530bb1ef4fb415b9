import type { HoleRecovery, RecoveryRun } from '#contract/recovery.ts'
import { formatCount, formatCounted } from '../../shared/format/numbers.ts'

/** What the service said of the messages that were read for a hole. */
export function runText({ read, byStatus, notFound, unreadable, endedAt }: RecoveryRun): string {
  const said = byStatus.map(({ status, count }) => `${formatCount(count)} ${status ?? 'without a status'}`)
  if (notFound > 0) said.push(`${formatCount(notFound)} not known there`)
  if (unreadable > 0) said.push(`${formatCount(unreadable)} not readable`)
  const what = `${formatCounted(read, 'message')} read again${said.length === 0 ? '' : `: ${said.join(', ')}`}`
  return endedAt === null ? `${what}, not to the end` : what
}

/** How many messages are open because of a hole; null where none is. */
export function openText({ open }: Pick<HoleRecovery, 'open'>): string | null {
  if (open.value === 0) return null
  return `${open.atLeast ? 'More than ' : ''}${formatCounted(open.value, 'message')} heard of before it ended ${open.value === 1 ? 'has' : 'have'} no final status`
}
