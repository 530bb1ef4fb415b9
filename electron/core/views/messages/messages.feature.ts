import { messagesContract } from '../../../contract/views/messages.ts'
import { createMessagesService, type MessagesService } from './messages.service.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const messagesHandlers = handlersOf(
  messagesContract,
  ({ messages }: { messages: MessagesService }) => messages,
)

/** Single messages with their reports, the list, and releases of held messages. */
export function createMessagesFeature(parts: Parameters<typeof createMessagesService>[0]) {
  return { service: createMessagesService(parts) }
}
