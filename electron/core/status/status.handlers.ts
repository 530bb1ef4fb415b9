import { implement } from '@orpc/server'
import { statusContract } from '../../contract/status.ts'
import type { CoreContext } from '../context.ts'

const os = implement(statusContract).$context<CoreContext>()

export const statusHandlers = {
  watch: os.watch.handler(({ context, signal }) =>
    context.status.watch(signal ?? new AbortController().signal),
  ),
  dismissNotice: os.dismissNotice.handler(({ context, input }) => {
    context.status.dismiss(input.id)
    return {}
  }),
}
