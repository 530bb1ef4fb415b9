import { existsSync } from 'node:fs'
import { schemaVersion } from '../../../database/migrate.ts'
import { openReader } from '../../../database/open.ts'
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
  /** A new connection appears before its listener creates the file. */
  const exists = () => reader !== null || (existsSync(file) && hasTables(file))
  const close = () => {
    reader?.close()
    reader = null
  }
  return {
    bodiesAfter: (seq, limit) => opened().bodiesAfter(seq, limit),
    readAfter: (seq, limit) => opened().readAfter(seq, limit),
    read: (seq) => opened().read(seq),
    lastSeq: () => (exists() ? opened().lastSeq() : 0),
    room: () => opened().room(),
    spans: (sinceMs) => (exists() ? opened().spans(sinceMs) : []),
    relays: () => (exists() ? opened().relays() : { periods: [], losses: [] }),
    reopen: close,
    close,
  }
}

function hasTables(file: string): boolean {
  const { db, close } = openReader(file)
  try {
    return schemaVersion(db) > 0
  } finally {
    close()
  }
}
