import { implement } from '@orpc/server'
import { listenerContract } from '../../contract/listener.ts'
import type { CoreContext } from '../context.ts'

const os = implement(listenerContract).$context<CoreContext>()

export const listenerHandlers = {
  get: os.get.handler(({ context }) => context.workspace().listener.view()),
  configure: os.configure.handler(({ context, input }) => context.workspace().moveListener(input)),
  freePort: os.freePort.handler(async ({ context }) => ({
    port: await context.workspace().listener.freePort(),
  })),
  addSecret: os.addSecret.handler(({ context, input }) => context.workspace().listener.addSecret(input)),
  removeSecret: os.removeSecret.handler(({ context, input }) =>
    context.workspace().listener.removeSecret(input.id),
  ),
  refusal: os.refusal.handler(({ context, input }) => context.workspace().listener.refusal(input.id)),
  refusals: os.refusals.handler(async ({ context }) => ({
    ...(await context.workspace().listener.refusals()),
    asOf: new Date(context.clock.now()).toISOString(),
  })),
}
