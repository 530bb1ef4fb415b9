import {
  type OutboxFilter,
  type OutboxStatus,
  outboxOperationSchema,
  outboxStatusSchema,
} from '#contract/people/outbox.ts'
import * as z from 'zod'
import { addressText } from '../../shared/list/use-address-filter.ts'

/** Every state in display order: needs a decision, queued, ended. */
export const statesInOrder = [
  'unknown',
  'rejected',
  'undoable',
  'scheduled',
  'in-flight',
  'queued',
  'blocked',
  'done',
  'cancelled',
  'sent-again',
  'discarded',
] as const

export const operations = outboxOperationSchema.options

/** The filter in the address: lists separated by commas. */
export const outboxAddressSchema = z.object({
  state: addressText,
  operation: addressText,
  batch: addressText,
  contact: addressText,
  text: addressText,
})
export type OutboxAddress = z.infer<typeof outboxAddressSchema>
export const everything = outboxAddressSchema.parse({})

/** The filter of an address, and its invalid parts. */
export function readAddress({ state, operation, batch, contact, text }: OutboxAddress): {
  filter: OutboxFilter
  invalid: string[]
} {
  const [states, invalidStates] = split(state, statesInOrder)
  const [chosen, invalidOperations] = split(operation, operations)
  const isId = /^\d{1,15}$/.test(contact)
  const search = text.trim()
  return {
    filter: {
      ...(states.length > 0 ? { states } : {}),
      ...(chosen.length > 0 ? { operations: chosen } : {}),
      ...(batch === '' ? {} : { batchId: batch }),
      ...(isId ? { contactId: Number(contact) } : {}),
      ...(search === '' ? {} : { text: search }),
    },
    invalid: [...invalidStates, ...invalidOperations, ...(isId || contact === '' ? [] : [contact])],
  }
}

function split<T extends string>(list: string, known: readonly T[]): [known: T[], invalid: string[]] {
  const words = list.split(',').filter((word) => word !== '')
  return [
    known.filter((word) => words.includes(word)),
    words.filter((word) => !(known as readonly string[]).includes(word)),
  ]
}

/** A list in the address with a word toggled. */
export function toggled(list: string, word: string): string {
  const words = list.split(',').filter((one) => one !== '')
  return (words.includes(word) ? words.filter((one) => one !== word) : [...words, word]).join(',')
}

/** The filter in the order of the list: unconfirmed requests, the one being sent, then all others. A part that the states exclude is dropped. */
export function partsOf(filter: OutboxFilter): OutboxFilter[] {
  const states = filter.states?.length ? filter.states : outboxStatusSchema.options
  const first = ['unknown', 'in-flight'] as const
  const isFirst = (state: OutboxStatus) => first.some((one) => one === state)
  return [
    ...first.map((one) => states.filter((state) => state === one)),
    states.filter((state) => !isFirst(state)),
  ]
    .filter((states) => states.length > 0)
    .map((states) => ({ ...filter, states }))
}
