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
