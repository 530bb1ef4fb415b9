import { implement } from '@orpc/server'
import { notificationsContract } from '../../contract/notifications.ts'
import type { CoreContext } from '../context.ts'

const os = implement(notificationsContract).$context<CoreContext>()

export const notificationsHandlers = {
  get: os.get.handler(({ context }) => context.notifications.get()),
  set: os.set.handler(({ context, input }) => context.notifications.set(input)),
  watch: os.watch.handler(({ context, signal }) =>
    context.notifications.watch(signal ?? new AbortController().signal),
  ),
  dismiss: os.dismiss.handler(({ context, input }) => {
    context.notifications.dismiss(input.seq)
    return {}
  }),
}
