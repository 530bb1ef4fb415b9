import { implement } from '@orpc/server'
import { scheduledContract } from '../../../contract/scheduled.ts'
import type { ScheduledService } from './scheduled.service.ts'

const os = implement(scheduledContract).$context<{ scheduled: ScheduledService }>()

/** Joins the contract of scheduled messages to what answers it. */
export const scheduledHandlers = {
  read: os.read.handler(({ context, input, signal }) =>
    context.scheduled.read(input, signal ?? new AbortController().signal),
  ),
  exportCsv: os.exportCsv.handler(({ context, input }) => context.scheduled.exportCsv(input.ids)),
}
