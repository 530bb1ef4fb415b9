import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isAppError } from '../../contract/errors.ts'
import { mapSqliteError, storageErrorCode } from '../../database/errors.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import { createImportCalls, type ImportCalls } from '../imports/import-calls.ts'
import { createJobControl, type FromJob, JobCancelled, type JobControl } from '../run/job-control.ts'
import { type JobOrder, jobs } from './jobs.ts'

/** Entry of a job thread: runs one job. `contactsPort` connects an import to the contact store. */
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread')
const { order, contactsPort } = workerData as { order: JobOrder; contactsPort: MessagePort | null }
// An operator waits for these. At low priority on a busy machine, a check took ten times as long.
const isWaitedFor = ['signed-export-verify', 'import-preview', 'open-table', 'inspect-table'].includes(
  order.job,
)
if (!isWaitedFor) yieldToOthers()
const control = createJobControl(port)

type Run = (order: JobOrder, control: JobControl, calls?: ImportCalls) => Promise<unknown>
const run = jobs[order.job] as Run

const say = (message: FromJob) => port.postMessage(message)
try {
  say({
    kind: 'result',
    result: await run(order, control, contactsPort ? createImportCalls(contactsPort) : undefined),
  })
} catch (error) {
  if (error instanceof JobCancelled) say({ kind: 'cancelled' })
  else if (isAppError(error) || storageErrorCode(error) !== undefined) {
    const { code, data } = mapSqliteError(error, { file: 'a file of this job' })
    say({ kind: 'failed', code, data })
  }
  // A bug: ends the thread, so the log gets its stack.
  else throw error
} finally {
  contactsPort?.close()
  port.close()
}
