import { type JournalReader, openJournalReader } from '../../../listener/journal.ts'

/**
 * A reader of the journal that opens at its first use: the listener thread makes the file, and may set a damaged one aside.
 * `reopen` lets the next use open the file that is there then. Throws the `STORAGE_*` errors of `openJournalReader`.
 */
export function createLazyJournalReader(file: string): JournalReader & { reopen(): void } {
  let reader: JournalReader | null = null
  const opened = () => (reader ??= openJournalReader(file))
  const close = () => {
    reader?.close()
    reader = null
  }
  return {
    bodiesAfter: (seq, limit) => opened().bodiesAfter(seq, limit),
    readAfter: (seq, limit) => opened().readAfter(seq, limit),
    read: (seq) => opened().read(seq),
    seqsHolding: (...args) => opened().seqsHolding(...args),
    lastSeq: () => opened().lastSeq(),
    room: () => opened().room(),
    spans: (sinceMs) => opened().spans(sinceMs),
    reopen: close,
    close,
  }
}
