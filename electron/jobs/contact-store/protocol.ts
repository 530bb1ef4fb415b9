import type { OutputOf } from '../../contract/define.ts'
import type {
  ContactFilter,
  contactsContract,
  ContactSelection,
  ContactSort,
} from '../../contract/people/contacts.ts'
import { basename } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import type { Phrase } from '../../contract/phrases.ts'
import type { OpenedDatabase } from '../../database/open.ts'
import type { LogEvents, Remote } from '../../threads/calls.ts'
import type { ImportRow, StoreDraft, StoreRow, Mark, OutboxEffect } from './store-types.ts'
import type { BlockingList } from '../table/entry-readings.ts'
import type { ContactOrder } from './contact-order.ts'
import type { TagBatch } from './tag-undo.ts'

/** Totals of all contacts. `byState` is by index in the list of states. */
export type StoreFigures = Omit<
  OutputOf<typeof contactsContract, 'summary'>,
  'byState' | 'version' | 'asOf'
> & {
  byState: Record<number, number>
}

/** What the store has of a person, besides the number. */
export interface PersonTraces {
  /** Names and emails. */
  texts: string[]
  /** Contacts with another number that may also have this one. */
  otherContacts: number
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

/** The list behind a mark, in another database of the connection. */
export interface MarkSource {
  file: string
  list: BlockingList
}

/** Calls of the contacts thread. Each is one commit or none, and waits while an import holds the store. */
export interface StoreFunctions {
  open(files: { contactsFile: string; searchFile: string }): StoreOpened
  /** Adds a contact; `marks` are its number's bits. `CONTACT_EXISTS`. */
  create(draft: StoreDraft, marks: number, nowMs: number): StoreRow
  /** Changes a contact; `marks` are the bits of its new number. `NOT_FOUND`, `CONTACT_EXISTS`. */
  update(id: number, draft: StoreDraft, marks: number, nowMs: number): StoreRow
  setNote(id: number, note: string, nowMs: number): void
  /** Changes tags of the next contacts above `afterId`, at most `limit`. */
  tag(
    step: {
      selection: ContactSelection
      set: Record<string, string>
      remove: string[]
      afterId: number
      limit: number
      /** Keeps the former tags until `untilMs`; null keeps none. */
      undo: { id: string; untilMs: number } | null
    },
    nowMs: number,
  ): SelectionStep
  /** The newest bulk tag change that can be undone. */
  tagBatch(nowMs: number): TagBatch | null
  /** Restores the former tags of the next contacts of a batch, at most `limit`. */
  undoTags(batchId: string, limit: number, nowMs: number): { restored: number; left: number; more: boolean }
  /** Moves contacts to the trash; returns how many. Unknown ids are skipped. */
  trash(ids: number[], batchId: string): number
  /**
   * Restores a batch with current marks. Contacts whose number is in use stay deleted (`lost`). Unreadable sources
   * fail the whole call: `STORAGE_*`.
   */
  restore(batchId: string, sources: Record<Mark, MarkSource>): { restored: number; lost: number }
  /** What it has of a number, also from deleted contacts and before imports. */
  personTraces(digits: number): PersonTraces
  /** Removes everything about a number, permanently. */
  erasePerson(digits: number): ErasedPerson
  /** Empties the log; false while a reader blocks it. */
  truncateLog(): boolean
  /** Deletes a batch of the trash permanently. */
  purge(batchId: string): number
  applyOutbox(effects: OutboxEffect[]): void
  /** Changes a mark by numbers. Returns how many contacts changed. */
  setMarks(change: { mark: Mark; add: number[]; remove: number[] }): number
  /** Sets a mark for exactly the contacts that a list blocks or may block, under any of their numbers. */
  replaceMarks(mark: Mark, from: MarkSource): number
  /** Progress of an import's undo; takes time that grows with what is left. */
  undoProgress(importId: string): UndoProgress
  /** Undoes the next contacts of an import, at most `limit`. */
  undoImport(importId: string, limit: number): UndoneBatch
  close(): void
}

export interface StoreOpened {
  version: number
  /** Damaged files that were set aside, and what was lost. */
  damage: { file: string; asideFile: string | null; lost: Phrase }[]
}

export const damageOf = ({ file, setAside }: OpenedDatabase): StoreOpened['damage'] =>
  setAside ? [{ file: basename(file), asideFile: setAside.asideFile, lost: setAside.lost }] : []

/** Calls of the search thread: those whose time grows with the contacts. They read its last commit. */
export interface SearchFunctions {
  /** Call after the store is open. */
  open(files: { contactsFile: string; searchFile: string }): StoreOpened['damage']
  figures(): StoreFigures
  count(filter: ContactFilter): number
  /** Ids of a selection above `afterId`, ascending, at most `limit`. Empty at the end. */
  ids(selection: ContactSelection, afterId: number, limit: number): number[]
  tagKeys(): { key: string; count: number; values: string[] }[]
  /** Removes from the file what deleted and changed contacts left in the index. */
  clearIndex(): void
  /** Empties the index's log; false while a reader blocks it. */
  truncateIndexLog(): boolean
  /** All contacts in an order, ascending. */
  order(by: ContactSort['by']): ContactOrder
  close(): void
}

/** From the contacts thread to the search thread. */
export interface SearchFeed {
  /** The contact store committed a change. */
  catchUp(): void
  /** Resolves when the index covers all commits. */
  complete(): void
}

/** From the search thread to the contacts thread. */
export interface SearchFeedEvents {
  /** The index has read all changes up to here. */
  indexed(touched: number): void
}

/** Calls of an import to the contacts thread, on their own port. Other writes wait while it holds the store. */
export interface ImportFunctions {
  /** Starts or resumes an import when no other runs. Returns its cursor, '' for a new one. */
  openImport(importId: string): string
  /** Stores rows. An error rolls back what isn't committed and ends the import: later calls return it, too. */
  importRows(batch: ImportBatch): void
  /** Commits and lets others write, before a pause. */
  releaseImport(): void
  /** Ends it. Resolves when everything is committed and indexed. */
  closeImport(): void
}

/** The contacts thread ended, or isn't started. */
export const storeGone = () =>
  new AppError('CONTACTS_FAILED', { detail: { key: 'contactStore.threadEnded' } })

export type ImportCalls = Remote<ImportFunctions>

export interface ImportBatch {
  rows: readonly ImportRow[]
  /** Other numbers of contacts without a row, each with the contact's number. */
  others: readonly (readonly [digits: number, other: number])[]
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

export interface StoreEvents extends LogEvents {
  changed(version: number): void
  /** A full check of a large file found damage, in SQLite's words. The next start sets the file aside. */
  damaged(file: string, problems: string[]): void
}
