/** Where a contact stands with the service; a row stores the place in this list. */
export const contactStates = [
  'local',
  'waiting',
  'in-flight',
  'service',
  'failed',
  'unknown',
  'deleting',
  'discarded',
] as const
export type ContactState = (typeof contactStates)[number]

/** Bits of `marks`. */
export const marks = { dnc: 1, held: 2 } as const
export type Mark = keyof typeof marks
/** One more bit: the service has this contact as it was before it was changed here. Unlike the marks it is no matter of the number. */
export const changedHere = 4

/** Which contacts, as the contract has it. */
export interface BookFilter {
  text?: string | undefined
  states?: ContactState[] | undefined
  dnc?: boolean | undefined
  held?: boolean | undefined
  changedHere?: boolean | undefined
  tags?: { key: string; value: string | null }[] | undefined
  tagsUnreadable?: true | undefined
  importId?: string | undefined
}

export interface BookSort {
  by: 'name' | 'phone' | 'updated' | 'created'
  descending: boolean
}

/** Contacts chosen by hand, or all of a filter but a few. */
export type BookSelection =
  | { ids: number[] }
  /** Contacts above `upToId` came later and are not meant. */
  | { filter: BookFilter; exceptIds: number[]; upToId?: number | undefined }

/** A contact as `book.db` holds it, tags read. */
export interface BookRow {
  id: number
  /** E.164 without the plus. */
  digits: number
  name: string
  email: string
  tagsJson: string
  state: number
  marks: number
  serviceId: string | null
  hasNote: 0 | 1
  createdMs: number
  updatedMs: number
}

/** What a form or a file gives. `tagsJson` is an object of texts. */
export interface BookDraft {
  digits: number
  name: string
  email: string
  tagsJson: string
}

/** What became of a request that concerned a contact. Applying it twice is as once. */
export interface OutboxEffect {
  contactId: number
  state: ContactState
  /** Left as it is when undefined. */
  serviceId?: string | null
  problem: string | null
  /** What the service now has: a contact that is not so any more was changed here since. */
  sent?: { name: string; email: string; tagsJson: string }
  /** Something about it changed that the book does not hold: its version rises, nothing else. */
  isElsewhere?: boolean
  /** It was to be made anew there as it is here, which came to nothing. */
  isBehind?: boolean
  /** The contact is gone at the service and here. */
  remove?: boolean
}
