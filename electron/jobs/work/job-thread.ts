import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isAppError } from '../../contract/errors.ts'
import { mapSqliteError, storageErrorCode } from '../../database/errors.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import { readBackup } from './backup-read.ts'
import { writeBackup } from './backup-write.ts'
import { exportEvents } from './event-export.ts'
import { exportContacts, exportRejected } from './export-jobs.ts'
import { previewImport, runImport } from './import-jobs.ts'
import { createImportingBook, type ImportingBook } from './importing-book.ts'
import { checkNumbers } from './number-check.ts'
import { planSends } from './ott-plan.ts'
import { writeResults } from './ott-results.ts'
import { createJobControl, type FromJob, JobCancelled } from './job-control.ts'
import { exportRecording } from './recording-export.ts'
import { verifyRecording } from './recording-verify.ts'
import type { JobOrder } from './protocol.ts'

/** Entry of a job thread: runs one job. `bookPort` connects an import to the book. */
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread')
const { order, bookPort } = workerData as { order: JobOrder; bookPort: MessagePort | null }
// An operator waits for these. At low priority on a busy machine, a check took ten times as long.
const isWaitedFor = order.job === 'recording-verify' || order.job === 'import-preview'
if (!isWaitedFor) yieldToOthers()
const control = createJobControl(port)

function importing(): ImportingBook {
  if (!bookPort) throw new Error('An import needs the book')
  return createImportingBook(bookPort)
}

function run(): Promise<unknown> {
  switch (order.job) {
    case 'import-preview':
      return previewImport(order, control)
    case 'import':
      return runImport(order, control, importing())
    case 'export':
      return exportContacts(order, control)
    case 'events':
      return exportEvents(order, control)
    case 'recording':
      return exportRecording(order, control)
    case 'recording-verify':
      return verifyRecording(order, control)
    case 'backup':
      return writeBackup(order, control)
    case 'restore':
      return readBackup(order, control)
    case 'rejected':
      return exportRejected(order, control)
    case 'dnc-check':
      return checkNumbers(order, control)
    case 'ott-plan':
      return planSends(order, control)
    case 'ott-results':
      return writeResults(order, control)
  }
}

const say = (message: FromJob) => port.postMessage(message)
try {
  say({ kind: 'result', result: await run() })
} catch (error) {
  if (error instanceof JobCancelled) say({ kind: 'cancelled' })
  else if (isAppError(error) || storageErrorCode(error) !== undefined) {
    const { code, data } = mapSqliteError(error, { file: 'a file of this job' })
    say({ kind: 'failed', code, data })
  }
  // A bug: ends the thread, so the log gets its stack.
  else throw error
} finally {
  bookPort?.close()
  port.close()
}
