import type { OutboxAnswer, OutboxOperation } from '../../../contract/people/outbox.ts'
import { AppError } from '../../../contract/errors.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import type { CallOptions } from '../../service/client/call.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { StoredItem } from './stored-item.ts'

export interface ContactBody {
  name: string
  phone: string
  email: string
  tags: Record<string, string>
}

export interface Operation {
  /** Sends the request. Returns the service's id, its status, and the rest of its answer. */
  send(
    item: StoredItem,
    options: CallOptions,
  ): Promise<{ serviceId: string | null; serviceStatus?: string | null; answer?: OutboxAnswer }>
  /** False where repeating is harmless: items interrupted by a crash are simply queued again. */
  once: boolean
  /** Whether the recipient must be checked against the DNC list. */
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

/** `ownerOf`: the number of another contact with this id of the service. `onSent` gets the id of each message that the service accepted. */
export function createOperations(
  client: ServiceClient,
  ownerOf: (serviceId: string, contactId: number | null) => string | null = () => null,
  onSent: (messageId: string) => void = () => {},
): Record<OutboxOperation, Operation> {
  const inDoubt = (call: string, serviceText: Phrase) =>
    new AppError('OUTCOME_UNKNOWN', { host: client.host, call, serviceText })
  return {
    'create-contact': {
      once: true,
      gated: true,
      async send({ body, phone, contactId }, options) {
        const contact = await client.contacts.create(body as ContactBody, options)
        // A record for another number doesn't prove that ours was created.
        if (contact.phone !== null && !isSameNumber(contact.phone, phone))
          throw inDoubt('POST /contacts', { key: 'answer.otherContact', phone: contact.phone })
        // Deleting the one would delete the other, too.
        const owner = ownerOf(contact.id, contactId)
        if (owner !== null) throw inDoubt('POST /contacts', { key: 'answer.sharedId', phone: owner })
        const { createdAt, updatedAt } = contact
        return { serviceId: contact.id, answer: { ...noAnswer, createdAt, updatedAt } }
      },
    },
    'delete-contact': {
      once: false,
      gated: false,
      async send({ serviceId }, options) {
        if (serviceId === null) throw new AppError('NOT_FOUND', { what: { key: 'what.serviceId' } })
        await client.contacts.delete(serviceId, options)
        return { serviceId }
      },
    },
    'send-ott': {
      once: true,
      gated: true,
      async send({ body, phone }, options) {
        const message = await client.ott.send(body as Parameters<ServiceClient['ott']['send']>[0], options)
        // A message to another number doesn't prove that ours was sent.
        if (message.to !== null && !isSameNumber(message.to, phone))
          throw inDoubt('POST /ott/messages', { key: 'answer.otherContact', phone: message.to })
        if (message.id !== null) onSent(message.id)
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

/** Services format a number in several ways, so compare its last seven digits. */
function isSameNumber(a: string, b: string): boolean {
  const end = (phone: string) => phone.replace(/\D/g, '').slice(-7)
  return end(a) === end(b)
}
