import type { TableFormat } from '../table/read-table.ts'
import type { RowProblem } from '../table/rejected-rows.ts'

/** As in the contract. */
export type ColumnTarget =
  | { to: 'name' | 'first-name' | 'last-name' | 'country' | 'tags' | 'note' | 'ignore' }
  | { to: 'phone' | 'email'; rank?: number | undefined }
  | { to: 'tag'; tagKey: string }

export interface ImportChoices {
  format: TableFormat
  columns: ColumnTarget[]
  defaultRegion: string
  hasCountryCodes: boolean
  severalNumbers: 'reject' | 'use-first'
  extensions: 'reject' | 'leave-out'
  unknownNumbers: 'reject' | 'import'
  duplicatesInFile: 'keep-first' | 'keep-last'
  duplicatesInContacts: 'skip' | 'update'
  dncHits: 'import-marked' | 'skip'
  badEmails: 'reject' | 'leave-out'
  badTags: 'reject' | 'leave-out'
  tagCommas: 'split' | 'as-one' | 'reject' | 'leave-out'
  extraTags: Record<string, string>
  consent: { column: number; action: 'hold' | 'skip' | 'ignore'; no: string[] }[]
}

export interface ImportCounts {
  rows: number
  new: number
  update: number
  unchanged: number
  duplicateInFile: number
  duplicateInContacts: number
  dnc: number
  invalid: number
  marked: number
  partial: number
  nameless: number
  /** Counts above zero. */
  problems: Partial<Record<RowProblem, number>>
}
