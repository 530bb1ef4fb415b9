import { implement } from '@orpc/server'
import { inboxContract } from '../../../contract/inbox.ts'
import type { InboxService } from './inbox.service.ts'

const os = implement(inboxContract).$context<{ inbox: InboxService }>()

export const inboxHandlers = {
  watch: os.watch.handler(({ context, signal }) =>
    context.inbox.watch(signal ?? new AbortController().signal),
  ),
  list: os.list.handler(({ context, input, signal }) => context.inbox.list(input, signal)),
  get: os.get.handler(({ context, input }) => context.inbox.get(input)),
  markRead: os.markRead.handler(({ context, input }) => context.inbox.markRead(input.sender, input.upToSeq)),
  markUnread: os.markUnread.handler(({ context, input }) => context.inbox.markUnread(input.sender)),
  markAllRead: os.markAllRead.handler(({ context, input }) => context.inbox.markAllRead(input.upToSeq)),
}
