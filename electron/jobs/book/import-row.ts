import type { BookDraft } from './book-types.ts'

/** A row to be stored by an import: new, or to be merged into the contact of that number. */
export interface ImportRow extends BookDraft {
  note: string
  marks: number
  /** The contact that had the number when the file was compared with the book, 0 for none. */
  id: number
}
