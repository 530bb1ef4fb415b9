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

/** An answer of the thread: a refusal is a value, since an `AppError` would lose its code on the way. */
export type BookAnswer<T> = { ok: true; value: T } | { ok: false; code: ErrorCode; data: ErrorData }

/** Figures of the whole book. */
export interface BookFigures {
  total: number
  /** By place in the list of states. */
  byState: Record<number, number>
  dnc: number
  held: number
  /** Contacts whose tags are stored so that they cannot be read. */
  unreadableTags: number
}

/** A row as it was before a deletion, for whoever has to tell the service. */
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
  /** Deleted contacts whose undo window was open. */
  deleted: number
  /** Values before an import, kept for its undo. */
  importValues: number
}

/** A piece of work over a selection: how many contacts it looked at and changed, and from where it goes on. Null: it is over. */
export interface SelectionStep {
  seen: number
  changed: number
  nextAfterId: number | null
}

/** Where the numbers are that bear a mark: a query on another database of this connection, whose only column is `digits`. */
export interface MarkSource {
  file: string
  sql: string
}

/** What the core may ask of the book thread. Each call is one commit, or none; it waits while an import holds the book. */
export interface BookFunctions {
  open(files: { bookFile: string; searchFile: string }): BookAnswer<BookOpened>
  /** Puts a contact in, with the marks of its number as bits. `CONTACT_EXISTS` when its number is there. */
  create(draft: BookDraft, marks: number, nowMs: number): BookAnswer<BookRow>
  /** Changes a contact's fields; `marks` are those of the number it has then, as bits. `NOT_FOUND`, `CONTACT_EXISTS`. */
  update(id: number, draft: BookDraft, marks: number, nowMs: number): BookAnswer<BookRow>
  setNote(id: number, note: string, nowMs: number): BookAnswer<null>
  /** Sets and removes tags on the next contacts of a selection above `afterId`, at most `limit`. */
  tag(
    step: {
      selection: BookSelection
      set: Record<string, string>
      remove: string[]
      afterId: number
      limit: number
      /** Keeps the former tags under this batch until `untilMs`; null keeps none. */
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
  /** Puts contacts in the trash under a batch; answers what they were. Ids that are not there are left out. */
  trash(ids: number[], batchId: string): BookAnswer<TrashedContact[]>
  /**
   * Brings a batch back, marked as its numbers are now. Contacts whose number was taken meanwhile stay gone and are counted as `lost`.
   * Sources that cannot be read refuse it all: `STORAGE_*`.
   */
  restore(batchId: string, sources: Record<Mark, MarkSource>): BookAnswer<{ restored: number; lost: number }>
  /** Names and e-mails of a number, also from deleted contacts and before imports. */
  personTexts(digits: number): BookAnswer<string[]>
  /** Removes all the book has of a number, for good. */
  erasePerson(digits: number): BookAnswer<ErasedPerson>
  /** Empties the log; false while a reader blocks that. */
  truncateLog(): BookAnswer<boolean>
  /** Forgets a batch of the trash for good. */
  purge(batchId: string): BookAnswer<number>
  applyOutbox(effects: OutboxEffect[]): BookAnswer<null>
  /** Sets or takes away a mark by numbers. Answers how many contacts changed. */
  setMarks(change: { mark: Mark; add: number[]; remove: number[] }): BookAnswer<number>
  /** Makes a mark hold for exactly the numbers of a source. */
  replaceMarks(mark: Mark, from: MarkSource): BookAnswer<number>
  /** How far the undo of an import is; takes time that grows with what is ahead of it. */
  undoProgress(importId: string): BookAnswer<UndoProgress>
  /** Takes back the next rows that an import made or changed, at most `limit`. */
  undoImport(importId: string, limit: number): BookAnswer<UndoneBatch>
  close(): void
}

export interface BookOpened {
  version: number
  /** When a damaged file had to be set aside, what was lost. */
  damage: { file: string; asideFile: string | null; lost: string }[]
}

/**
 * What the core may ask of the search thread: the answers that take time that grows with the book. They are of the book as it was last
 * committed.
 */
export interface SearchFunctions {
  /** After the book is open. */
  open(files: { bookFile: string; searchFile: string }): BookAnswer<BookOpened['damage']>
  figures(): BookAnswer<BookFigures>
  count(filter: BookFilter): BookAnswer<number>
  tagKeys(): BookAnswer<{ key: string; count: number; values: string[] }[]>
  /** The whole book in an order, rising. */
  order(by: BookSort['by']): BookAnswer<BookOrder>
  close(): void
}

/** What the book thread tells the search thread, over a port between the two: done one after the other, in the order it is told. */
export interface SearchFeed {
  /** The book was changed and committed. */
  catchUp(): void
  /** An import begins to hand over its rows; until `settle`, the ids of new contacts are its own. */
  beginRows(): Promise<void>
  /** New contacts, not committed yet: the rows whose `ids` are not 0, from `firstId` on. Answered when they are in the index. */
  addRows(firstId: number, rows: PackedRows): Promise<void>
  /** What was handed over is committed, or not; answered when the index is complete for what the book holds. */
  settle(committed: boolean): Promise<void>
}

/** What the search thread tells the book thread. */
export interface SearchFeedEvents {
  /** The index has seen all changes up to here. */
  indexed(touched: number): void
}

/** What an import may ask of the book thread, over a port of its own. Others' writes wait while it holds the book. */
export interface ImportFunctions {
  /** Begins or goes on with an import, when no other one is open; answers how far it came before, '' for a new one. */
  openImport(importId: string): Promise<BookAnswer<string>>
  /**
   * Stores rows. A refusal takes back all that is not committed, and the import is over until it is opened again: what comes after it is
   * refused in the same words.
   */
  importRows(batch: ImportBatch): Promise<BookAnswer<ImportedBatch>>
  /** Commits what was stored and lets others write: before a pause. */
  releaseImport(): BookAnswer<null>
  /** Ends it. Answered when all it stored is committed and found by searches. */
  closeImport(): Promise<BookAnswer<null>>
}

export interface ImportBatch {
  rows: PackedRows
  /** Rows without a contact among them. */
  fresh: number
  /** Change contacts that have a row's number; without it, such rows are left out. */
  merges: boolean
  /** How far the file has been read when these rows are stored; committed with them. */
  cursor: string
  /** Rows of the file that were read so far, and about how many are still to come. */
  rowsRead: number
  rowsAhead: number
  nowMs: number
}

export interface ImportedBatch {
  created: number
  updated: number
  unchanged: number
  /** Numbers that came into the book since the file was compared with it. */
  taken: number
}

/** What the undo of an import has done by now, in all its runs. */
export interface UndoneBatch {
  removed: number
  restored: number
  /** Left because they are on the service, on their way there, or were changed by hand since. */
  left: number
  more: boolean
}

/**
 * The same before a run or behind it, how many contacts one has still to look at, and how many of those it made are on the service or on
 * their way there.
 */
export interface UndoProgress extends Omit<UndoneBatch, 'more'> {
  ahead: number
  atService: number
}

/** What the book thread tells, without waiting. */
export interface BookEvents {
  /** The book changed. */
  changed(version: number): void
  /** A full check of a large file found damage; with SQLite's words. The next start sets the file aside. */
  damaged(file: string, problems: string[]): void
  log(level: 'info' | 'warn' | 'error', message: string, data?: Record<string, unknown>): void
}
