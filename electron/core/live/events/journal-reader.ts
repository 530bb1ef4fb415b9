import { type JournalReader, openJournalReader } from '../../../listener/journal-reader.ts'

export interface JournalFile extends JournalReader {
  /** Closes the file. The next read opens the file that then has this name. */
  reopen(): void
}

/**
 * Opens the journal at the first read, because the listener thread creates the file and may replace a damaged
 * one. Throws the `STORAGE_*` errors of `openJournalReader`.
 */
export function createLazyJournalReader(file: string): JournalFile {
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
    relays: () => opened().relays(),
    reopen: close,
    close,
  }
}
