import type { ContactState } from '../../contract/people/contacts.ts'

/** States of a contact; rows store the index in this list. */
export const contactStates: readonly ContactState[] = [
  'local',
  'waiting',
  'in-flight',
  'service',
  'failed',
  'unknown',
  'deleting',
  'discarded',
]

/** Bits of `marks`. */
export const marks = { dnc: 1, held: 2 } as const
export type Mark = keyof typeof marks
/** Changed here since the service got it. Unlike the marks, not a property of the number. */
export const changedHere = 4

/** A contact of `contacts.db`. */
export interface StoreRow {
  id: number
  /** E.164 without the plus. */
  digits: number
  name: string
  /** Empty if unknown, as `lastName`. The service gets neither. */
  firstName: string
  lastName: string
  email: string
  tagsJson: string
  state: number
  marks: number
  serviceId: string | null
  hasNote: 0 | 1
  createdMs: number
  updatedMs: number
}

export const stateOf = ({ state }: Pick<StoreRow, 'state'>): ContactState => contactStates[state] ?? 'local'

/** Input of a form or file. `tagsJson` is an object of strings. */
export interface StoreDraft {
  digits: number
  /** What else the number's text may mean, and other numbers of its row, without those that checks include anyway. */
  others: readonly number[]
  name: string
  firstName: string
  lastName: string
  email: string
  tagsJson: string
}

/** Outcome of a contact's request. Applying it again changes nothing. */
export interface OutboxEffect {
  contactId: number
  state: ContactState
  /** Undefined leaves it unchanged. */
  serviceId?: string | null
  problem: string | null
  /** What the service now has; a different contact was changed here since. */
  sent?: { name: string; email: string; tagsJson: string }
  /** Something outside the store changed: only the version rises. */
  isElsewhere?: boolean
  /** It should have been recreated at the service, but wasn't. */
  isBehind?: boolean
  /** Deleted at the service and here. */
  remove?: boolean
}

/** A row to import: new, or merged into the contact with its number. */
export interface ImportRow extends StoreDraft {
  note: string
  marks: number
  /** Contact with this number when the file was compared; 0 for none. */
  id: number
}
