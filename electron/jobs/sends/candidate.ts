import type { ValueSource } from '../../contract/people/templates.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import type { StoreRow } from '../contact-store/store-types.ts'

/** Sources of one recipient's values. */
export interface Candidate {
  at: number
  name: string
  firstName: string
  lastName: string
  phone: string
  /** What else the number's text may mean. */
  others: readonly number[]
  email: string
  tags: () => Record<string, string>
  cells: readonly string[]
  /** Positions of cells whose point is surely a decimal mark. */
  numeric: readonly number[]
  contactId: number | null
}

export function textOf(source: ValueSource, from: Candidate): string {
  switch (source.from) {
    case 'name':
    case 'phone':
    case 'email':
      return from[source.from]
    case 'first-name':
      return from.firstName
    case 'last-name':
      return from.lastName
    case 'tag': {
      const tags = from.tags()
      return Object.hasOwn(tags, source.key) ? tags[source.key]! : ''
    }
    case 'column':
      return from.cells[source.column] ?? ''
    case 'empty':
      return ''
    case 'constant':
      return source.value
  }
}

export const toCandidate = (row: StoreRow, at: number): Candidate => ({
  at,
  phone: `+${row.digits}`,
  others: [],
  name: row.name,
  firstName: row.firstName,
  lastName: row.lastName,
  email: row.email,
  tags: () => readTagsJson(row.tagsJson) ?? {},
  cells: [],
  numeric: [],
  contactId: row.id,
})
