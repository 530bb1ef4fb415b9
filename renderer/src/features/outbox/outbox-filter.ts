import {
  type OutboxFilter,
  type OutboxStatus,
  outboxOperationSchema,
  outboxStatusSchema,
} from '#contract/people/outbox.ts'
import * as z from 'zod'
import { addressText, addressWords } from '../../shared/list/use-address-filter.ts'

/** Every state in display order: needs a decision, queued, ended. */
export const statesInOrder = [
  'unknown',
  'rejected',
  'not-sent',
  'held',
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

/** The filter in the address. */
export const outboxAddressSchema = z.object({
  state: addressWords(statesInOrder),
  operation: addressWords(operations),
  batch: addressText,
  contact: addressText.transform((id) => (/^\d{1,15}$/.test(id) ? id : '')),
  text: addressText,
})
export type OutboxAddress = z.infer<typeof outboxAddressSchema>
export const everything = outboxAddressSchema.parse({})

export function filterOf({ state, operation, batch, contact, text }: OutboxAddress): OutboxFilter {
  const search = text.trim()
  return {
    ...(state.length > 0 ? { states: state } : {}),
    ...(operation.length > 0 ? { operations: operation } : {}),
    ...(batch === '' ? {} : { batchId: batch }),
    ...(contact === '' ? {} : { contactId: Number(contact) }),
    ...(search === '' ? {} : { text: search }),
  }
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
