import { implement } from '@orpc/server'
import { type ListenerMove, listenerContract } from '../../../contract/listener.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { ListenerService, ListenerView } from './listener.service.ts'

/** What the handlers use of a call. A getter throws NO_CONNECTION while no connection is open. */
interface Slice {
  clock: Clock
  listener: ListenerService
  moveListener(move: ListenerMove): Promise<ListenerView>
}

const os = implement(listenerContract).$context<Slice>()

export const listenerHandlers = {
  get: os.get.handler(({ context }) => context.listener.view()),
  configure: os.configure.handler(({ context, input }) => context.moveListener(input)),
  freePort: os.freePort.handler(async ({ context }) => ({
    port: await context.listener.freePort(),
  })),
  addSecret: os.addSecret.handler(({ context, input }) => context.listener.addSecret(input)),
  removeSecret: os.removeSecret.handler(({ context, input }) => context.listener.removeSecret(input.id)),
  refusal: os.refusal.handler(({ context, input }) => context.listener.refusal(input.id)),
  refusals: os.refusals.handler(async ({ context }) => ({
    ...(await context.listener.refusals()),
    asOf: new Date(context.clock.now()).toISOString(),
  })),
}
