import type { Client } from '../../rpc/rpc.ts'
import { formatCount, formatCounted } from '../../shared/format/numbers.ts'
import type { ErrorCodeCard } from '#contract/error-codes.ts'

/** The first thing that is known of a code: the service's record, the specification's meaning, or nothing. */
export function meaningOf({ records, dlrMeaning }: ErrorCodeCard): string | null {
  return (
    records.find(({ description }) => description !== null && description !== '')?.description ?? dlrMeaning
  )
}

/** Categories of a code's records, each once. */
export function categoriesOf({ records }: ErrorCodeCard): string {
  return [...new Set(records.flatMap(({ category }) => category ?? []))].join(', ')
}

/** What the service answered to a search. */
type OnlineAnswer = Awaited<ReturnType<Client['errorCodes']['searchOnline']>>

/** How much a search of the service brought. */
export function foundText({ items, added }: Pick<OnlineAnswer, 'items' | 'added'>): string {
  if (items.length === 0) return 'The service has no matching code.'
  return `The service returned ${formatCounted(items.length, 'code')}, ${added === 0 ? 'none' : formatCount(added)} of them new.`
}
