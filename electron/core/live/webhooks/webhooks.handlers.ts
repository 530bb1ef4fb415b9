import { implement } from '@orpc/server'
import { webhooksContract } from '../../../contract/webhooks.ts'
import type { WebhooksService } from './webhooks.service.ts'

const os = implement(webhooksContract).$context<{ webhooks: WebhooksService }>()

export const webhooksHandlers = {
  list: os.list.handler(({ context, input }) => context.webhooks.list(input)),
  roundTrip: os.roundTrip.handler(({ context, input }) => context.webhooks.roundTrip(input)),
  subscribe: os.subscribe.handler(({ context, input }) => context.webhooks.subscribe(input)),
}
