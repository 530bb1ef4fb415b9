import { implement } from '@orpc/server'
import { outboxContract } from '../../contract/outbox.ts'
import type { CoreContext } from '../context.ts'

const os = implement(outboxContract).$context<CoreContext>()

export const outboxHandlers = {
  watch: os.watch.handler(({ context, signal }) =>
    context.workspace().outbox.watch(signal ?? new AbortController().signal),
  ),
  list: os.list.handler(({ context, input }) => {
    const { items, total } = context.workspace().outbox.list(input.filter, input.limit, input.cursor)
    return {
      items,
      total,
      nextCursor: items.length < input.limit ? null : items.at(-1)!.id,
      asOf: new Date(context.clock.now()).toISOString(),
    }
  }),
  batches: os.batches.handler(({ context, input }) =>
    context.workspace().outbox.batches(input.limit, input.cursor),
  ),
  pause: os.pause.handler(({ context }) => context.workspace().outbox.pause()),
  resume: os.resume.handler(({ context }) => context.workspace().outbox.resume()),
  undo: os.undo.handler(({ context, input }) => context.workspace().outbox.undo(input.batchId)),
  cancel: os.cancel.handler(({ context, input }) => context.workspace().outbox.cancel(input.selection)),
  resolve: os.resolve.handler(({ context, input }) => context.workspace().outbox.resolve(input)),
  retryRejected: os.retryRejected.handler(({ context, input }) =>
    context.workspace().outbox.retryRejected(input.selection),
  ),
}
