import type { JobProgress } from '../run/job-control.ts'

/** A job whose code loads when it runs: loading all would double the start of a thread. */
const load =
  <Given extends unknown[], Result>(job: () => Promise<(...given: Given) => Result>) =>
  async (...given: Given): Promise<Awaited<Result>> =>
    await (
      await job()
    )(...given)

/** Jobs by name. Each takes its order and a `JobControl`; an import also the contact store. */
export const jobs = {
  'open-table': load(async () => (await import('../sheets/open-table.ts')).openTable),
  'import-preview': load(async () => (await import('../imports/preview-import.ts')).previewImport),
  import: load(async () => (await import('../imports/run-import.ts')).runImport),
  'import-consent': load(async () => (await import('../table/find-consent.ts')).findConsent),
  export: load(async () => (await import('../contact-store/contact-export.ts')).exportContacts),
  rejected: load(async () => (await import('../imports/rejected-export.ts')).exportRejected),
  events: load(async () => (await import('../events/event-export.ts')).exportEvents),
  'signed-export': load(async () => (await import('../signed-exports/signed-export.ts')).writeSignedExport),
  'signed-export-verify': load(
    async () => (await import('../signed-exports/signed-export-verify.ts')).verifySignedExport,
  ),
  backup: load(async () => (await import('../backup/backup-write.ts')).writeBackup),
  restore: load(async () => (await import('../backup/backup-read.ts')).readBackup),
  'inspect-table': load(async () => (await import('../table/inspect-table.ts')).inspectWithRows),
  'guess-numbers': load(async () => (await import('../table/sample-numbers.ts')).guessNumbers),
  'dnc-check': load(async () => (await import('../dnc/number-check.ts')).checkNumbers),
  'ott-marks': load(async () => (await import('../sends/decimal-marks.ts')).findMarks),
  'ott-plan': load(async () => (await import('../sends/ott-plan.ts')).planSends),
  'ott-results': load(async () => (await import('../sends/ott-results.ts')).writeResults),
  'ott-reports': load(async () => (await import('../sends/send-reports.ts')).countReports),
  'resend-check': load(async () => (await import('../sends/resend-check.ts')).checkResend),
  'find-requests': load(async () => (await import('../sends/find-requests.ts')).findRequests),
  'to-skip': load(async () => (await import('../sends/blocked-recipients.ts')).countToSkip),
}

type Name = keyof typeof jobs
export type JobOrder = { [Job in Name]: { job: Job } & Parameters<(typeof jobs)[Job]>[0] }[Name]
/** Calls of the core to a job thread. */
export interface JobFunctions {
  /** Null when it was cancelled. Runs at low priority unless an operator waits for it. */
  run(order: JobOrder, isWaitedFor: boolean): { result: unknown } | null
  hold(isPaused: boolean): void
  cancel(): void
}

export interface JobEvents {
  progress(progress: JobProgress): void
}

export type JobResults = { [Job in Name]: Awaited<ReturnType<(typeof jobs)[Job]>> }
