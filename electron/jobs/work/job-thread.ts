import { createBirpc } from 'birpc'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isAppError } from '../../contract/errors.ts'
import { mapSqliteError } from '../../database/errors.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import type { ImportFunctions } from '../book/protocol.ts'
import { checkNumbers, exportContacts, exportRejected } from './export-jobs.ts'
import { type ImportingBook, previewImport, runImport } from './import-jobs.ts'
import { createJobControl, JobCancelled } from './job-control.ts'
import type { FromJob, JobOrder } from './protocol.ts'

/** Entry of a job thread: does one job and ends. With `bookPort` it writes to the book without the core in between. */
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread')
yieldToOthers()
const { order, bookPort } = workerData as { order: JobOrder; bookPort: MessagePort | null }
const control = createJobControl(port)

function importing(): ImportingBook {
  if (!bookPort) throw new Error('An import needs the book')
  return createBirpc<ImportFunctions>(
    {},
    {
      post: (data) => bookPort.postMessage(data),
      on: (receive) => void bookPort.on('message', receive),
      timeout: -1,
    },
  ) as unknown as ImportingBook
}

function run(): Promise<unknown> {
  switch (order.job) {
    case 'import-preview':
      return previewImport(order, control)
    case 'import':
      return runImport(order, control, importing())
    case 'export':
      return exportContacts(order, control)
    case 'rejected':
      return exportRejected(order, control)
    case 'dnc-check':
      return checkNumbers(order, control)
  }
}

const say = (message: FromJob) => port.postMessage(message)
try {
  say({ kind: 'result', result: await run() })
} catch (error) {
  if (error instanceof JobCancelled) say({ kind: 'cancelled' })
  else {
    const known = isAppError(error) ? error : mapSqliteError(error, { file: 'a file of this job' })
    say({ kind: 'failed', code: known.code, data: known.data })
  }
}
bookPort?.close()
port.close()
