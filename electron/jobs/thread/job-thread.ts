import { AppError } from '../../contract/errors.ts'
import { isMissing } from '../../database/errors.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import { connectCalls, ownersPort } from '../../threads/calls.ts'
import type { ImportCalls, ImportFunctions } from '../contact-store/protocol.ts'
import { createJobControl, JobCancelled, type JobControl } from '../run/job-control.ts'
import { storeGone } from '../contact-store/protocol.ts'
import { type JobEvents, type JobFunctions, type JobOrder, jobs } from './jobs.ts'

/** Entry of a job thread: runs one job at a time. A port connects an import to the contact store. */
type Run = (order: JobOrder, control: JobControl, importing?: ImportCalls) => Promise<unknown>

const newControl = () => createJobControl((progress) => void core.progress(progress))
let current = newControl()
let importing: ImportCalls | undefined

const { calls: core } = connectCalls<JobEvents, JobFunctions>(
  ownersPort(),
  {
    async run(order, isWaitedFor) {
      current = newControl()
      if (!isWaitedFor) yieldToOthers()
      try {
        return { result: await (jobs[order.job] as Run)(order, current.control, importing) }
      } catch (error) {
        if (error instanceof JobCancelled) return null
        throw isMissing(error) ? new AppError('FILE_GONE', {}, { cause: error }) : error
      }
    },
    hold: (isPaused) => current.hold(isPaused),
    cancel: () => current.cancel(),
  },
  {
    events: ['progress'],
    file: 'a file of this job',
    onPort({ port }) {
      importing = connectCalls<ImportFunctions>(port, {}, { gone: storeGone }).calls
    },
  },
)
