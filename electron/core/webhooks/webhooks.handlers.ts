import { implement } from '@orpc/server'
import { webhooksContract } from '../../contract/webhooks.ts'
import type { CoreContext } from '../context.ts'

const os = implement(webhooksContract).$context<CoreContext>()

export const webhooksHandlers = {
  list: os.list.handler(({ context, input }) => context.workspace().webhooks.list(input)),
  roundTrip: os.roundTrip.handler(({ context, input }) => context.workspace().webhooks.roundTrip(input)),
  subscribe: os.subscribe.handler(({ context, input }) => context.workspace().webhooks.subscribe(input)),
}
