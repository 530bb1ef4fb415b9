import type { EraseReceipt } from '#contract/connection/erase.ts'
import { t } from './contacts.texts.ts'

/** What an erasure removed, one line per place. */
export const removedLines = ({ removed }: Pick<EraseReceipt, 'removed'>): string[] =>
  removed.map(({ place, count }) => t(`erased.${place}`, { n: count }))

/** What an erasure kept, and why. */
export const keptLines = ({ kept }: Pick<EraseReceipt, 'kept'>): string[] =>
  kept.map(({ reason }) => t(`kept.${reason}`))
