import type { OutboxAnswer, OutboxOperation } from '../../../contract/outbox.ts'
import { AppError } from '../../../contract/errors.ts'
import type { CallOptions } from '../../service/client/call.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { StoredItem } from './outbox.repository.ts'

/** What an operation's item sends to create a contact. */
export interface ContactBody {
  name: string
  phone: string
  email: string
  tags: Record<string, string>
}

/** How one operation is done at the service. */
export interface Operation {
  /** Sends it. Returns the id of the service's record, the service's status for it, and the rest of the answer. */
  send(
    item: StoredItem,
    options: CallOptions,
  ): Promise<{ serviceId: string | null; serviceStatus?: string | null; answer?: OutboxAnswer }>
  /** False where doing it twice is as once: what crashed in flight is simply queued again. */
  once: boolean
  /** Whether it goes to a person, who may be on the DNC list. */
  gated: boolean
}

const noAnswer: OutboxAnswer = {
  providerMessageId: null,
  channelId: null,
  templateId: null,
  body: null,
  createdAt: null,
  updatedAt: null,
}

/** The operations of contacts and sends. */
export function createOperations(client: ServiceClient): Record<OutboxOperation, Operation> {
  return {
    'create-contact': {
      once: true,
      gated: true,
      async send({ body, phone }, options) {
        const contact = await client.contacts.create(body as ContactBody, options)
        // A record of somebody else is no proof that ours was made.
        if (contact.phone !== null && !isSameNumber(contact.phone, phone))
          throw new AppError('OUTCOME_UNKNOWN', {
            host: client.host,
            call: 'POST /contacts',
            serviceText: `the answer is about ${contact.phone}`,
          })
        const { createdAt, updatedAt } = contact
        return { serviceId: contact.id, answer: { ...noAnswer, createdAt, updatedAt } }
      },
    },
    'delete-contact': {
      once: false,
      gated: false,
      async send({ serviceId }, options) {
        if (serviceId === null)
          throw new AppError('NOT_FOUND', { what: 'The id of this contact at the service' })
        await client.contacts.delete(serviceId, options)
        return { serviceId }
      },
    },
    'send-ott': {
      once: true,
      gated: true,
      async send({ body, phone }, options) {
        const message = await client.ott.send(body as Parameters<ServiceClient['ott']['send']>[0], options)
        // A message to somebody else is no proof that ours was sent.
        if (message.to !== null && !isSameNumber(message.to, phone))
          throw new AppError('OUTCOME_UNKNOWN', {
            host: client.host,
            call: 'POST /ott/messages',
            serviceText: `the answer is about ${message.to}`,
          })
        const { providerMessageId, channelId, templateId, body: text, createdAt } = message
        return {
          serviceId: message.id,
          serviceStatus: message.status,
          answer: { ...noAnswer, providerMessageId, channelId, templateId, body: text, createdAt },
        }
      },
    },
  }
}

/** Services write one number in several ways: with or without a plus, as it is dialled in its country. Its end stays. */
function isSameNumber(a: string, b: string): boolean {
  const end = (phone: string) => phone.replace(/\D/g, '').slice(-7)
  return end(a) === end(b)
}
