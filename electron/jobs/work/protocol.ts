import type { ErrorCode, ErrorData } from '../../contract/errors.ts'
import type { BookFilter, BookSelection } from '../book/book-types.ts'
import type { TableFormat } from '../table/read-table.ts'

/** Where the connection's databases are; a job reads them beside their writers. */
export interface JobFiles {
  bookFile: string
  searchFile: string
  cacheFile: string
  stateFile: string
}

/** What becomes of a column, as the contract has it. */
export type ColumnTarget =
  { to: 'name' | 'phone' | 'email' | 'tags' | 'note' | 'ignore' } | { to: 'tag'; tagKey: string }

export interface ImportChoices {
  format: TableFormat
  columns: ColumnTarget[]
  defaultRegion: string
  doubleZeroIsPlus: boolean
  duplicatesInFile: 'keep-first' | 'keep-last'
  duplicatesInBook: 'skip' | 'update'
  dncHits: 'import-marked' | 'skip'
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
}

export interface JudgedRow {
  rowNumber: number
  line: number
  cells: string[]
  phone: string | null
  outcome: RowOutcome
  reason: string | null
}

/** What a job thread is started for. */
export type JobOrder = JobFiles &
  (
    | { job: 'import-preview'; file: string; choices: ImportChoices; samplesPerOutcome: number }
    | {
        job: 'import'
        file: string
        choices: ImportChoices
        importId: string
        rejectedFile: string
        nowMs: number
      }
    | {
        job: 'export'
        target: string
        selection: BookSelection | { filter: BookFilter; exceptIds: number[] }
        columns: string[]
        tagColumns: boolean
      }
    | { job: 'rejected'; source: string; target: string; header: string[] }
    | {
        job: 'events'
        target: string
        format: 'csv' | 'ndjson'
        /** Over the columns of `events`: the index to take, and terms that each begin with AND. */
        condition: { access: string; terms: string; params: (string | number)[] }
        /** Seqs of (afterSeq, upToSeq]. */
        afterSeq: number
        upToSeq: number
      }
    | {
        job: 'dnc-check'
        source: { file: string; format: TableFormat; column: number } | { text: string }
        region: string
        /** Whether what is not found is clear, or not known. */
        isFresh: boolean
        targets: { clear: string; blocked: string; unparsable: string }
      }
  )

export interface PreviewResult {
  counts: ImportCounts
  samples: { outcome: RowOutcome; rows: JudgedRow[] }[]
  fileProblems: { rowNumber: number; line: number; text: string }[]
}

/** What a job answers at its end. */
export interface JobResults {
  'import-preview': PreviewResult
  import: { counts: ImportCounts }
  export: { rows: number }
  rejected: { rows: number }
  events: { rows: number }
  'dnc-check': { rows: number; clear: number; blocked: number; notKnown: number; unparsable: number }
}

/** What the core sends to a job. */
export type ToJob = 'pause' | 'resume' | 'cancel'

/** What a job sends to the core. */
export type FromJob =
  | { kind: 'progress'; done: number; total: number | null; counts: Record<string, number> }
  | { kind: 'result'; result: unknown }
  | { kind: 'failed'; code: ErrorCode; data: ErrorData }
  | { kind: 'cancelled' }
