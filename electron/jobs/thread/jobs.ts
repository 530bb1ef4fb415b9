import { readBackup } from '../backup/backup-read.ts'
import { writeBackup } from '../backup/backup-write.ts'
import { exportEvents } from '../events/event-export.ts'
import { exportContacts } from '../contact-store/contact-export.ts'
import { exportRejected } from '../imports/rejected-export.ts'
import { previewImport } from '../imports/preview-import.ts'
import { runImport } from '../imports/run-import.ts'
import { findConsent } from '../imports/find-consent.ts'
import type { openTable as OpenTable } from '../sheets/open-table.ts'
import { checkNumbers } from '../dnc/number-check.ts'
import { findMarks } from '../sends/decimal-marks.ts'
import { planSends } from '../sends/ott-plan.ts'
import { writeResults } from '../sends/ott-results.ts'
import { countReports, findProbableReports } from '../sends/send-reports.ts'
import { inspectWithRows } from '../table/inspect-table.ts'
import { guessNumbers } from '../table/sample-numbers.ts'
import type { JobProgress } from '../run/job-control.ts'
import { writeSignedExport } from '../signed-exports/signed-export.ts'
import { verifySignedExport } from '../signed-exports/signed-export-verify.ts'

/** Loads its libraries only when it runs. */
const openTable = async (...given: Parameters<typeof OpenTable>) =>
  (await import('../sheets/open-table.ts')).openTable(...given)

/** Jobs by name. Each takes its order and a `JobControl`; an import also the contact store. */
export const jobs = {
  'open-table': openTable,
  'import-preview': previewImport,
  import: runImport,
  'import-consent': findConsent,
  export: exportContacts,
  rejected: exportRejected,
  events: exportEvents,
  'signed-export': writeSignedExport,
  'signed-export-verify': verifySignedExport,
  backup: writeBackup,
  restore: readBackup,
  'inspect-table': inspectWithRows,
  'guess-numbers': guessNumbers,
  'dnc-check': checkNumbers,
  'ott-marks': findMarks,
  'ott-plan': planSends,
  'ott-results': writeResults,
  'ott-reports': countReports,
  'probable-reports': findProbableReports,
}

type Name = keyof typeof jobs
export type JobOrder = { [Job in Name]: { job: Job } & Parameters<(typeof jobs)[Job]>[0] }[Name]
/** Calls of the core to a job thread. */
export interface JobFunctions {
  /** Null when it was cancelled. */
  run(order: JobOrder): { result: unknown } | null
  hold(isPaused: boolean): void
  cancel(): void
}

export interface JobEvents {
  progress(progress: JobProgress): void
}

export type JobResults = { [Job in Name]: Awaited<ReturnType<(typeof jobs)[Job]>> }
