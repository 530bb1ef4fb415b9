import type { NumberFault } from '../../lib/phone/parse-phone.ts'
import type { TableFormat } from '../table/read-table.ts'

/** As in the contract. */
export type ColumnTarget =
  | { to: 'name' | 'first-name' | 'last-name' | 'phone' | 'email' | 'tags' | 'note' | 'ignore' }
  | { to: 'tag'; tagKey: string }

export interface ImportChoices {
  format: TableFormat
  columns: ColumnTarget[]
  defaultRegion: string
  doubleZeroIsPlus: boolean
  ownCodeIsPlus: boolean
  duplicatesInFile: 'keep-first' | 'keep-last'
  duplicatesInBook: 'skip' | 'update'
  dncHits: 'import-marked' | 'skip'
  badEmails: 'reject' | 'leave-out'
  badTags: 'reject' | 'leave-out'
  tagCommas: 'split' | 'as-one' | 'reject' | 'leave-out'
  extraTags: Record<string, string>
}

export type RowOutcome =
  'new' | 'update' | 'unchanged' | 'duplicate-in-file' | 'duplicate-in-book' | 'dnc' | 'invalid'

export interface ImportCounts {
  rows: number
  new: number
  update: number
  unchanged: number
  duplicateInFile: number
  duplicateInBook: number
  dnc: number
  invalid: number
  marked: number
  partial: number
  nameless: number
  /** Counts above zero. */
  problems: Partial<Record<RowProblem, number>>
}

/** As in the contract. */
export type RowProblem =
  | `number-${NumberFault}`
  | 'number-two-ways'
  | 'email'
  | 'tags'
  | 'tag-commas'
  | 'malformed'
  | 'extra-cells'
  | 'field-too-long'

export interface JudgedRow {
  rowNumber: number
  sheetRow: number
  line: number
  cells: string[]
  phone: string | null
  outcome: RowOutcome
  /** What rejected an `invalid` row. */
  problem?: RowProblem
  reason: string | null
}
