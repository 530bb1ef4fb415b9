import type { ErasedPlace, EraseReceipt, KeptReason } from '#contract/erase.ts'
import { formatCounted } from '../../shared/format/numbers.ts'

const placeWords: Record<ErasedPlace, string> = {
  contacts: 'contact',
  'deleted-contacts': 'deleted contact',
  'import-values': 'import undo value',
  outbox: 'outbox request',
  holds: 'hold',
  deliveries: 'stored delivery',
  events: 'event',
  lookups: 'looked-up message',
  answers: 'cached answer',
  history: 'entry in lists and tasks',
  settings: 'setting',
  files: 'file',
}
const plurals: Partial<Record<ErasedPlace, string>> = {
  deliveries: 'stored deliveries',
  history: 'entries in lists and tasks',
  'import-values': 'import undo values',
}

const keptWords: Record<KeptReason, string> = {
  'dnc-list': 'The offline DNC copy keeps the number, so nothing is sent to it.',
  'hashed-hold': 'The number stays on hold as a hash.',
  'on-service': 'The contact still exists on the service. Delete it there too.',
  'outbox-unconfirmed': 'Unconfirmed requests were kept. Resolve them in the outbox, then erase again.',
  'file-in-use': 'A file is still in use by an import or export. When it ends, erase again.',
  'file-left': 'Some files still hold the number. Close other programs that read them, then erase again.',
}

/** What an erasure removed, one line per place. */
export const removedLines = ({ removed }: Pick<EraseReceipt, 'removed'>): string[] =>
  removed.map(({ place, count }) => formatCounted(count, placeWords[place], plurals[place]))

/** What an erasure kept, and why. */
export const keptLines = ({ kept }: Pick<EraseReceipt, 'kept'>): string[] =>
  kept.map(({ reason }) => keptWords[reason])
