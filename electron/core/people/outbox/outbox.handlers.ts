import { implement } from '@orpc/server'
import { outboxContract } from '../../../contract/outbox.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { OutboxService } from './outbox.service.ts'

const os = implement(outboxContract).$context<{ clock: Clock; outbox: OutboxService }>()

export const outboxHandlers = {
  watch: os.watch.handler(({ context, signal }) =>
    context.outbox.watch(signal ?? new AbortController().signal),
  ),
  list: os.list.handler(({ context, input }) => {
    const { items, total } = context.outbox.list(input.filter, input.limit, input.cursor)
    return {
      items,
      total,
      nextCursor: items.length < input.limit ? null : items.at(-1)!.id,
      asOf: new Date(context.clock.now()).toISOString(),
    }
  }),
  batches: os.batches.handler(({ context, input }) => context.outbox.batches(input.limit, input.cursor)),
  pause: os.pause.handler(({ context }) => context.outbox.pause()),
  resume: os.resume.handler(({ context }) => context.outbox.resume()),
  undo: os.undo.handler(({ context, input }) => context.outbox.undo(input.batchId)),
  cancel: os.cancel.handler(({ context, input }) => context.outbox.cancel(input.selection)),
  resolve: os.resolve.handler(({ context, input }) => context.outbox.resolve(input)),
  retryRejected: os.retryRejected.handler(({ context, input }) =>
    context.outbox.retryRejected(input.selection),
  ),
}
