import { AppError } from '../../contract/errors.ts'
import { isMissing } from '../../database/errors.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import { connectCalls, ownersPort } from '../../threads/calls.ts'
import type { ImportCalls, ImportFunctions } from '../contact-store/protocol.ts'
import { createJobControl, JobCancelled, type JobControl } from '../run/job-control.ts'
import { storeGone } from '../contact-store/protocol.ts'
import { type JobEvents, type JobFunctions, type JobOrder, jobs } from './jobs.ts'

/** Entry of a job thread: runs one job. A port connects an import to the contact store. */
type Run = (order: JobOrder, control: JobControl, importing?: ImportCalls) => Promise<unknown>

/** An operator waits for these. At low priority on a busy machine, a check took ten times as long. */
const waitedFor: readonly JobOrder['job'][] = [
  'signed-export-verify',
  'import-preview',
  'open-table',
  'inspect-table',
]

const { control, hold, cancel } = createJobControl((progress) => void core.progress(progress))
let importing: ImportCalls | undefined

const { calls: core } = connectCalls<JobEvents, JobFunctions>(
  ownersPort(),
  {
    async run(order) {
      if (!waitedFor.includes(order.job)) yieldToOthers()
      try {
        return { result: await (jobs[order.job] as Run)(order, control, importing) }
      } catch (error) {
        if (error instanceof JobCancelled) return null
        throw isMissing(error) ? new AppError('FILE_GONE', {}, { cause: error }) : error
      }
    },
    hold,
    cancel,
  },
  {
    events: ['progress'],
    file: 'a file of this job',
    onPort({ port }) {
      importing = connectCalls<ImportFunctions>(port, {}, { gone: storeGone }).calls
    },
  },
)
