import type { BookDraft } from './book-types.ts'

/** A row to import: new, or merged into the contact with its number. */
export interface ImportRow extends BookDraft {
  note: string
  marks: number
  /** Contact with this number when the file was compared; 0 for none. */
  id: number
}
