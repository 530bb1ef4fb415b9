import { implement } from '@orpc/server'
import { scheduledContract } from '../../contract/scheduled.ts'
import type { CoreContext } from '../context.ts'

const os = implement(scheduledContract).$context<CoreContext>()

/** Joins the contract of scheduled messages to what answers it. */
export const scheduledHandlers = {
  read: os.read.handler(({ context, input, signal }) =>
    context.workspace().scheduled.read(input, signal ?? new AbortController().signal),
  ),
  exportCsv: os.exportCsv.handler(({ context, input }) => context.workspace().scheduled.exportCsv(input.ids)),
}
