import type { NumberFault, PhoneOptions } from '../../lib/phone/parse-phone.ts'
import type { BookFilter, BookSelection } from '../book/book-types.ts'
import type { BackupManifest } from './backup-format.ts'
import type { RestoreOrder } from './backup-read.ts'
import type { BackupOrder } from './backup-write.ts'
import type { RecordingHeader } from './recording-format.ts'
import type { TableFormat } from '../table/read-table.ts'

/** The connection's databases; jobs read them beside their writers. */
export interface JobFiles {
  bookFile: string
  searchFile: string
  cacheFile: string
  stateFile: string
}

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

/** As in the contract. */
export type PlanValueSource =
  | { from: 'name' | 'phone' | 'email' | 'empty' }
  | { from: 'tag'; key: string }
  | { from: 'column'; column: number }
  | { from: 'constant'; value: string }

export type LeftOutReason =
  'dnc' | 'held' | 'missing-value' | 'bad-value' | 'bad-number' | 'repeated' | 'unreadable'

/**
 * A recipient in a plan's files, one line each. `at`: position among those to send to; for a skipped one, its row as
 * numbered in imports. `values` of a skipped one are its texts; older versions stored none.
 */
export interface PlannedRow {
  at: number
  phone: string
  name: string
  contactId: number | null
  values: { name: string; value: string | number }[]
  leftOut: LeftOutReason | null
  reason: string | null
  /** The file's cells of a skipped one; older versions stored none. */
  cells?: readonly string[]
}

export interface PlanResult {
  counts: Record<
    | 'recipients'
    | 'willSend'
    | 'dnc'
    | 'held'
    | 'missingValue'
    | 'badValue'
    | 'badNumber'
    | 'repeated'
    | 'unreadable'
    | 'sentLately'
    | 'readableTwoWays',
    number
  >
  first: PlannedRow[]
  leftOut: PlannedRow[]
}

/** Order of a job thread. */
export type JobOrder = ConnectionJobOrder | RestoreOrder

type ConnectionJobOrder = JobFiles &
  (
    | BackupOrder
    | {
        job: 'import-preview'
        file: string
        choices: ImportChoices
        /** Outcome column of a saved list of rejected rows. */
        outcomeAt: number | null
        samples: number
      }
    | {
        job: 'import'
        file: string
        choices: ImportChoices
        /** As for the preview. */
        outcomeAt: number | null
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
    | {
        job: 'rejected'
        source: string
        target: string
        header: string[]
        /** Columns of the original file; absent in older orders. */
        own?: number[]
        headerRows: number
        /** Absent in older orders. */
        delimiter?: string
        rows?: 'invalid' | 'all'
      }
    | {
        job: 'events'
        target: string
        /** Has the original texts; the events have replacements for characters that SQLite cannot search. */
        journalFile: string
        format: 'csv' | 'ndjson'
        /** On the columns of `events`: the index to use, and terms that start with AND. */
        condition: { access: string; terms: string; params: (string | number)[] }
        /** Seqs in (afterSeq, upToSeq]. */
        afterSeq: number
        upToSeq: number
      }
    | {
        job: 'recording'
        target: string
        journalFile: string
        /** The first line except for what the job counts; `signer` comes last. */
        header: Omit<
          RecordingHeader,
          'events' | 'arrived' | 'first_seq' | 'last_seq' | 'public_key' | 'fingerprint' | 'gaps'
        >
        signer: Pick<RecordingHeader, 'public_key' | 'fingerprint' | 'gaps'>
        /** Events that arrived in [fromMs, toMs), whole seconds. */
        fromMs: number
        toMs: number
        /** Events and copies up to this seq. */
        upToSeq: number
      }
    | { job: 'recording-verify'; file: string }
    | {
        job: 'dnc-check'
        source: { file: string; format: TableFormat; column: number } | { text: string }
        reading: PhoneOptions
        /** Whether what is not found is clear, or not known. */
        isFresh: boolean
        targets: { clear: string; blocked: string; unparsable: string }
      }
    | {
        job: 'ott-plan'
        source:
          | { selection: BookSelection }
          | {
              file: string
              format: TableFormat
              phoneColumn: number
              nameColumn: number | null
              reading: PhoneOptions
            }
        /** Expected recipients, for the progress; null when unknown. */
        total: number | null
        variables: { name: string; type: 'string' | 'number'; source: PlanValueSource }[]
        /** The template's service id; counts who got it since then. */
        templateId: string
        sentSinceMs: number
        targets: { plan: string; left: string }
        /** Rows of each kind to return. */
        samples: number
      }
    | {
        job: 'ott-results'
        /** Null while nothing is queued. */
        batchId: string | null
        /** The file of skipped recipients. */
        left: string
        /** Only for skipped rows of a file: its columns, and those of the original. */
        table: { header: string[]; own: number[] } | null
        target: string
        variables: string[]
      }
  )

export interface PreviewResult {
  counts: ImportCounts
  samples: { outcome: RowOutcome; rows: JudgedRow[] }[]
  /** First rows with each problem. */
  problems: { problem: RowProblem; rows: JudgedRow[] }[]
}

/** Results of jobs. */
export interface JobResults {
  'import-preview': PreviewResult
  import: { counts: ImportCounts }
  export: { rows: number }
  rejected: { rows: number }
  events: { rows: number }
  /** The hash of its last line. */
  recording: { events: number; chain: string }
  'recording-verify':
    | {
        kind: 'whole'
        fingerprint: string
        head: {
          connection: string
          service: string
          from: string
          to: string
          madeAt: string
          console: string
          events: number
          arrived: number | null
          gaps: number
        }
      }
    | { kind: 'changed'; line: number; why: string }
    | { kind: 'cut-off'; lines: number }
    | { kind: 'not-an-export'; why: string }
  backup: { sizeBytes: number }
  restore: BackupManifest
  'ott-plan': PlanResult
  'ott-results': { rows: number }
  'dnc-check': {
    rows: number
    clear: number
    blocked: number
    notKnown: number
    unparsable: number
    readableTwoWays: number
  }
}
