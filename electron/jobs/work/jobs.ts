import { readBackup } from './backup-read.ts'
import { writeBackup } from './backup-write.ts'
import { exportEvents } from './event-export.ts'
import { exportContacts, exportRejected } from './export-jobs.ts'
import { previewImport, runImport } from './import-jobs.ts'
import { checkNumbers } from './number-check.ts'
import { planSends } from './ott-plan.ts'
import { writeResults } from './ott-results.ts'
import { exportRecording } from './recording-export.ts'
import { verifyRecording } from './recording-verify.ts'

/** Jobs by name. Each takes its order and a `JobControl`; an import also the book. */
export const jobs = {
  'import-preview': previewImport,
  import: runImport,
  export: exportContacts,
  rejected: exportRejected,
  events: exportEvents,
  recording: exportRecording,
  'recording-verify': verifyRecording,
  backup: writeBackup,
  restore: readBackup,
  'dnc-check': checkNumbers,
  'ott-plan': planSends,
  'ott-results': writeResults,
}

type Name = keyof typeof jobs
export type JobOrder = { [Job in Name]: { job: Job } & Parameters<(typeof jobs)[Job]>[0] }[Name]
export type JobResults = { [Job in Name]: Awaited<ReturnType<(typeof jobs)[Job]>> }
