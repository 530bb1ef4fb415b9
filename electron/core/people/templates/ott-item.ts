import type { NewItem } from '../outbox/outbox.repository.ts'

/** A message to one recipient as an outbox item. The body is the input of the client's `ott.send`. */
export const ottItem = (
  { templateId, channelId }: { templateId: string; channelId: string },
  recipient: {
    phone: string
    name: string
    contactId: number | null
    values: readonly { name: string; value: string | number }[]
  },
): NewItem => ({
  operation: 'send-ott',
  name: recipient.name,
  phone: recipient.phone,
  contactId: recipient.contactId,
  serviceId: null,
  body: {
    channelId,
    templateId,
    to: recipient.phone,
    variables: Object.fromEntries(recipient.values.map(({ name, value }) => [name, value])),
  },
  afterId: null,
})
