import type { DncList } from '../../contract/dnc.ts'

/** Why the copy of the Do Not Contact list cannot tell who must not be contacted. */
export const listWords: Record<Exclude<DncList['state'], 'fresh'>, string> = {
  never: 'the Do Not Contact list was never synced',
  stale: 'the copy of the Do Not Contact list is too old',
  partial: 'the copy of the Do Not Contact list is not whole',
}
