import type { Phrase } from '../../contract/phrases.ts'
import type { ErrorCode, ErrorData } from '../../contract/errors.ts'
import type {
  BookDraft,
  BookFilter,
  BookRow,
  BookSelection,
  BookSort,
  Mark,
  OutboxEffect,
} from './book-types.ts'
import type { BookOrder } from './book-order.ts'
import type { PackedRows } from './packed-rows.ts'
import type { TagBatch } from './tag-undo.ts'

/** Errors are values, because an `AppError` would lose its code between threads. */
export type BookAnswer<T> = { ok: true; value: T } | { ok: false; code: ErrorCode; data: ErrorData }

/** Totals of the whole book. */
export interface BookFigures {
  total: number
  /** By index in the list of states. */
  byState: Record<number, number>
  dnc: number
  held: number
  /** Contacts with unreadable tags. */
  unreadableTags: number
}

/** A row before its deletion, for the request to the service. */
export interface TrashedContact {
  contactId: number
  digits: number
  name: string
  state: number
  serviceId: string | null
}

/** Rows removed with a person. */
export interface ErasedPerson {
  contacts: number
  /** Within their undo window. */
  deleted: number
  /** Values stored for an import's undo. */
  importValues: number
}

/** One step over a selection. `nextAfterId` is null at the end. */
export interface SelectionStep {
  seen: number
  changed: number
  nextAfterId: number | null
}

/** A query for the numbers with a mark, on another database of the connection. Its only column is `digits`. */
export interface MarkSource {
  file: string
  sql: string
}

/** Calls of the book thread. Each is one commit or none, and waits while an import holds the book. */
export interface BookFunctions {
  open(files: { bookFile: string; searchFile: string }): BookAnswer<BookOpened>
  /** Adds a contact; `marks` are its number's bits. `CONTACT_EXISTS`. */
  create(draft: BookDraft, marks: number, nowMs: number): BookAnswer<BookRow>
  /** Changes a contact; `marks` are the bits of its new number. `NOT_FOUND`, `CONTACT_EXISTS`. */
  update(id: number, draft: BookDraft, marks: number, nowMs: number): BookAnswer<BookRow>
  setNote(id: number, note: string, nowMs: number): BookAnswer<null>
  /** Changes tags of the next contacts above `afterId`, at most `limit`. */
  tag(
    step: {
      selection: BookSelection
      set: Record<string, string>
      remove: string[]
      afterId: number
      limit: number
      /** Keeps the former tags until `untilMs`; null keeps none. */
      undo: { id: string; untilMs: number } | null
    },
    nowMs: number,
  ): BookAnswer<SelectionStep>
  /** The newest bulk tag change that can be undone. */
  tagBatch(nowMs: number): BookAnswer<TagBatch | null>
  /** Restores the former tags of the next contacts of a batch, at most `limit`. */
  undoTags(
    batchId: string,
    limit: number,
    nowMs: number,
  ): BookAnswer<{ restored: number; left: number; more: boolean }>
  /** Moves contacts to the trash; returns their rows. Unknown ids are skipped. */
  trash(ids: number[], batchId: string): BookAnswer<TrashedContact[]>
  /**
   * Restores a batch with current marks. Contacts whose number is in use stay deleted (`lost`). Unreadable sources
   * fail the whole call: `STORAGE_*`.
   */
  restore(batchId: string, sources: Record<Mark, MarkSource>): BookAnswer<{ restored: number; lost: number }>
  /** Names and e-mails of a number, also from deleted contacts and before imports. */
  personTexts(digits: number): BookAnswer<string[]>
  /** Removes everything about a number, permanently. */
  erasePerson(digits: number): BookAnswer<ErasedPerson>
  /** Empties the log; false while a reader blocks it. */
  truncateLog(): BookAnswer<boolean>
  /** Deletes a batch of the trash permanently. */
  purge(batchId: string): BookAnswer<number>
  applyOutbox(effects: OutboxEffect[]): BookAnswer<null>
  /** Changes a mark by numbers. Returns how many contacts changed. */
  setMarks(change: { mark: Mark; add: number[]; remove: number[] }): BookAnswer<number>
  /** Sets a mark for exactly the numbers of a source. */
  replaceMarks(mark: Mark, from: MarkSource): BookAnswer<number>
  /** Progress of an import's undo; takes time that grows with what is left. */
  undoProgress(importId: string): BookAnswer<UndoProgress>
  /** Undoes the next contacts of an import, at most `limit`. */
  undoImport(importId: string, limit: number): BookAnswer<UndoneBatch>
  close(): void
}

export interface BookOpened {
  version: number
  /** Damaged files that were set aside, and what was lost. */
  damage: { file: string; asideFile: string | null; lost: Phrase }[]
}

/** Calls of the search thread: those whose time grows with the book. They read its last commit. */
export interface SearchFunctions {
  /** Call after the book is open. */
  open(files: { bookFile: string; searchFile: string }): BookAnswer<BookOpened['damage']>
  figures(): BookAnswer<BookFigures>
  count(filter: BookFilter): BookAnswer<number>
  tagKeys(): BookAnswer<{ key: string; count: number; values: string[] }[]>
  /** All contacts in an order, ascending. */
  order(by: BookSort['by']): BookAnswer<BookOrder>
  close(): void
}

/** From the book thread to the search thread, processed in order. */
export interface SearchFeed {
  /** The book committed a change. */
  catchUp(): void
  /** An import starts to send rows; until `settle`, new ids belong to it. */
  beginRows(): Promise<void>
  /** New, uncommitted contacts from `firstId`: rows whose `ids` are not 0. Resolves when indexed. */
  addRows(firstId: number, rows: PackedRows): Promise<void>
  /** The rows are committed or not. Resolves when the index covers the book. */
  settle(committed: boolean): Promise<void>
}

/** From the search thread to the book thread. */
export interface SearchFeedEvents {
  /** The index has read all changes up to here. */
  indexed(touched: number): void
}

/** Calls of an import to the book thread, on their own port. Other writes wait while it holds the book. */
export interface ImportFunctions {
  /** Starts or resumes an import when no other runs. Returns its cursor, '' for a new one. */
  openImport(importId: string): Promise<BookAnswer<string>>
  /**
   * Stores rows. An error rolls back everything uncommitted and ends the import; later calls return the same error
   * until it is opened again.
   */
  importRows(batch: ImportBatch): Promise<BookAnswer<ImportedBatch>>
  /** Commits and lets others write, before a pause. */
  releaseImport(): BookAnswer<null>
  /** Ends it. Resolves when everything is committed and indexed. */
  closeImport(): Promise<BookAnswer<null>>
}

export interface ImportBatch {
  rows: PackedRows
  /** Rows without a contact. */
  fresh: number
  /** Merges rows into contacts with their number; otherwise skips them. */
  merges: boolean
  /** Position in the file after these rows; committed with them. */
  cursor: string
  /** Rows read and, approximately, rows left. */
  rowsRead: number
  rowsAhead: number
  nowMs: number
}

export interface ImportedBatch {
  created: number
  updated: number
  unchanged: number
  /** Numbers added by others since the file was compared. */
  taken: number
}

/** Progress of an import's undo, over all runs. */
export interface UndoneBatch {
  removed: number
  restored: number
  /** Kept: on the service, on the way there, or edited since. */
  left: number
  more: boolean
}

/** With the contacts still to check, and those on the service or on the way there. */
export interface UndoProgress extends Omit<UndoneBatch, 'more'> {
  ahead: number
  atService: number
}

/** Events of the book thread. */
export interface BookEvents {
  changed(version: number): void
  /** A full check of a large file found damage, in SQLite's words. The next start sets the file aside. */
  damaged(file: string, problems: string[]): void
  log(level: 'info' | 'warn' | 'error', message: string, data?: Record<string, unknown>): void
}
