import type { Refusal } from '#contract/live/listener.ts'
import { formatCount } from '../../shared/format/numbers.ts'
import { refusalWords } from '../../shared/format/refusals.ts'
import { t } from './settings.texts.ts'

/** Consecutive rejected deliveries of one kind: same reason and answer, same request, same sender. */
export interface RefusalGroup {
  /** The newest of them. */
  last: Refusal
  /** Time of the oldest, ISO. */
  firstAt: string
  /** All of them, newest first. */
  members: Refusal[]
}

const kindOf = ({ reason, status, method, path, remote }: Refusal) =>
  JSON.stringify([reason, status, method, path, remote])

/** Groups consecutive ones of a kind. `refusals` are newest first, and so are the groups. */
export function groupRefusals(refusals: readonly Refusal[]): RefusalGroup[] {
  const groups: RefusalGroup[] = []
  for (const refusal of refusals) {
    const group = groups.at(-1)
    if (group && kindOf(group.last) === kindOf(refusal)) {
      group.members.push(refusal)
      group.firstAt = refusal.at
    } else groups.push({ last: refusal, firstAt: refusal.at, members: [refusal] })
  }
  return groups
}

/** The sizes of rejected deliveries: `220`, `180–1,220`, or a dash if unknown. */
export function sizesText(refusals: readonly Refusal[]): string {
  const sizes = refusals.map(({ sizeBytes }) => sizeBytes).filter((size) => size !== null)
  if (sizes.length === 0) return '–'
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)]
  return least === most ? formatCount(least) : `${formatCount(least)}–${formatCount(most)}`
}

/** How many of all are listed: `4 in total`, `Last 2,000 of 58,213`. */
export function countText({ refusals, total }: { refusals: readonly Refusal[]; total: number }): string {
  return refusals.length < total
    ? t('rejected.lastOf', { shown: refusals.length, total })
    : t('rejected.inAll', { n: refusals.length })
}

/** All refusals by reason, the most frequent first: `wrong signature 58,000, wrong path 213`. */
export const byReasonText = (byReason: Readonly<Record<string, number>>): string =>
  Object.entries(byReason)
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => `${refusalWords(reason)} ${formatCount(count)}`)
    .join(', ')
