import { type OutboxFilter, outboxOperationSchema, outboxStateSchema } from '#contract/outbox.ts'

/** Every state, in the order the page shows them: what a person must decide first, then what is to come, then what is over. */
export const statesInOrder = [
  'unknown',
  'rejected',
  'held-back',
  'in-flight',
  'queued',
  'blocked',
  'done',
  'cancelled',
] as const

export const operations = outboxOperationSchema.options

/** The filter as the page's address carries it: lists parted by commas, empty members left out. */
export function filterToAddress({
  states,
  operations,
  batchId,
  contactId,
  text,
}: OutboxFilter): Record<string, string> {
  return {
    ...(states?.length ? { state: states.join(',') } : {}),
    ...(operations?.length ? { operation: operations.join(',') } : {}),
    ...(batchId === undefined ? {} : { batch: batchId }),
    ...(contactId === undefined ? {} : { contact: String(contactId) }),
    ...(text ? { text } : {}),
  }
}

/** The filter that an address asks for. Anyone may have typed it: words that are none are told in `unread`. */
export function addressToFilter(address: Record<string, unknown>): {
  filter: OutboxFilter
  unread: string[]
} {
  const words = (name: string) => {
    const value = address[name]
    return typeof value === 'string' ? value.split(',').filter((word) => word !== '') : []
  }
  const states = outboxStateSchema.options.filter((state) => words('state').includes(state))
  const chosen = operations.filter((operation) => words('operation').includes(operation))
  const strange = (name: string, known: readonly string[]) =>
    words(name)
      .filter((word) => !known.includes(word))
      .map((word) => `${name} ${word}`)
  const batch = address['batch']
  const contact = typeof address['contact'] === 'string' ? address['contact'] : ''
  const isId = /^\d{1,15}$/.test(contact)
  const text = typeof address['text'] === 'string' ? address['text'].trim().slice(0, 200) : ''
  return {
    filter: {
      ...(states.length > 0 ? { states } : {}),
      ...(chosen.length > 0 ? { operations: chosen } : {}),
      ...(typeof batch === 'string' && batch !== '' ? { batchId: batch } : {}),
      ...(isId ? { contactId: Number(contact) } : {}),
      ...(text === '' ? {} : { text }),
    },
    unread: [
      ...strange('state', states),
      ...strange('operation', chosen),
      ...(isId || contact === '' ? [] : [`contact ${contact}`]),
    ],
  }
}

/** True when everything is shown. */
export function isEmptyFilter(filter: OutboxFilter): boolean {
  return Object.keys(filterToAddress(filter)).length === 0
}

/**
 * The filter in the parts that stand below each other: items of unknown outcome, then all others. A part whose states are
 * filtered away is left out.
 */
export function partsOf(filter: OutboxFilter): OutboxFilter[] {
  const wanted = filter.states?.length ? filter.states : outboxStateSchema.options
  const unknown = wanted.filter((state) => state === 'unknown')
  const others = wanted.filter((state) => state !== 'unknown')
  return [unknown, others].filter((states) => states.length > 0).map((states) => ({ ...filter, states }))
}
