import type { NumberFault, PhoneOptions } from '../../lib/phone/parse-phone.ts'
import type { BookFilter, BookSelection } from '../book/book-types.ts'
import type { BackupManifest } from './backup-format.ts'
import type { RestoreOrder } from './backup-read.ts'
import type { BackupOrder } from './backup-write.ts'
import type { RecordingHeader } from './recording-format.ts'
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
  /** Those that have each problem, where it is more than none. */
  problems: Partial<Record<RowProblem, number>>
}

/** What is wrong with a row, as the contract has it. */
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

/** Where the value of one variable of a send comes from, as the contract has it. */
export type PlanValueSource =
  | { from: 'name' | 'phone' | 'email' | 'empty' }
  | { from: 'tag'; key: string }
  | { from: 'column'; column: number }
  | { from: 'constant'; value: string }

export type LeftOutReason =
  'dnc' | 'held' | 'missing-value' | 'bad-value' | 'bad-number' | 'repeated' | 'unreadable'

/**
 * A recipient in the files of a plan, a line each. `at`: place among those that are sent to, or where one left out came: the row of its
 * file, as the import numbers them. `values` of one left out are the texts that there are; an earlier version kept none.
 */
export interface PlannedRow {
  at: number
  phone: string
  name: string
  contactId: number | null
  values: { name: string; value: string | number }[]
  leftOut: LeftOutReason | null
  reason: string | null
  /** Of one left out of a file: its row. An earlier version kept none. */
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

/** What a job thread is started for. */
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
        /** As of the preview. */
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
        /** Places of the columns that are the file's own; an order of an earlier version says none. */
        own?: number[]
        headerRows: number
        /** Absent in an order of an earlier version. */
        delimiter?: string
        rows?: 'invalid' | 'all'
      }
    | {
        job: 'events'
        target: string
        /** Has the original texts; the events have replacements for characters that SQLite cannot search. */
        journalFile: string
        format: 'csv' | 'ndjson'
        /** Over the columns of `events`: the index to take, and terms that each begin with AND. */
        condition: { access: string; terms: string; params: (string | number)[] }
        /** Seqs of (afterSeq, upToSeq]. */
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
        /** How many there will be, for the progress; null when that is not known. */
        total: number | null
        variables: { name: string; type: 'string' | 'number'; source: PlanValueSource }[]
        /** The service's id of the template; who got it from here since then is counted. */
        templateId: string
        sentSinceMs: number
        targets: { plan: string; left: string }
        /** Rows of each kind that are answered. */
        samples: number
      }
    | {
        job: 'ott-results'
        /** Null while nothing of the send is in the outbox. */
        batchId: string | null
        /** The file of those left out. */
        left: string
        /** Where only they are written, and came out of a file: its columns, and the places of those that are its own. */
        table: { header: string[]; own: number[] } | null
        target: string
        variables: string[]
      }
  )

export interface PreviewResult {
  counts: ImportCounts
  samples: { outcome: RowOutcome; rows: JudgedRow[] }[]
  /** The first rows that have each problem. */
  problems: { problem: RowProblem; rows: JudgedRow[] }[]
}

/** What a job answers at its end. */
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
