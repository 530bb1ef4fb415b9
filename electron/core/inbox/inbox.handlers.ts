import { implement } from '@orpc/server'
import { inboxContract } from '../../contract/inbox.ts'
import type { CoreContext } from '../context.ts'

const os = implement(inboxContract).$context<CoreContext>()

export const inboxHandlers = {
  watch: os.watch.handler(({ context, signal }) =>
    context.workspace().inbox.watch(signal ?? new AbortController().signal),
  ),
  list: os.list.handler(({ context, input, signal }) => context.workspace().inbox.list(input, signal)),
  get: os.get.handler(({ context, input }) => context.workspace().inbox.get(input)),
  markRead: os.markRead.handler(({ context, input }) =>
    context.workspace().inbox.markRead(input.sender, input.upToSeq),
  ),
  markUnread: os.markUnread.handler(({ context, input }) =>
    context.workspace().inbox.markUnread(input.sender),
  ),
  markAllRead: os.markAllRead.handler(({ context, input }) =>
    context.workspace().inbox.markAllRead(input.upToSeq),
  ),
}
