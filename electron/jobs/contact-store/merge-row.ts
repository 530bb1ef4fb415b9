import { readTagsJson, withTags } from '../../lib/tags-json.ts'

/** Fields of a contact that a file's row can change. */
export interface MergeFields {
  name: string
  firstName: string
  lastName: string
  email: string
  note: string
  tagsJson: string
}

/** Merges a row into a contact: empty fields stay, tags are added. Preview and import share it. */
export function mergeRow(contact: MergeFields, row: MergeFields): MergeFields {
  // Another name has other parts, known or not.
  const named =
    row.name === '' || (row.name === contact.name && !row.firstName && !row.lastName) ? contact : row
  return {
    name: named.name,
    firstName: named.firstName,
    lastName: named.lastName,
    email: row.email || contact.email,
    note: row.note || contact.note,
    tagsJson: mergeTags(contact.tagsJson, row.tagsJson),
  }
}

/** The row's tags replace unreadable ones. */
function mergeTags(before: string, added: string): string {
  if (added === '{}' || added === before) return before
  return JSON.stringify(withTags(readTagsJson(before) ?? {}, JSON.parse(added) as Record<string, string>))
}

export const isSameContact = (a: MergeFields, b: MergeFields): boolean =>
  isSameAtService(a, b) && a.firstName === b.firstName && a.lastName === b.lastName && a.note === b.note

/** Whether the service would get the same. */
export const isSameAtService = (a: SentFields, b: SentFields): boolean =>
  a.name === b.name && a.email === b.email && a.tagsJson === b.tagsJson

type SentFields = Pick<MergeFields, 'name' | 'email' | 'tagsJson'>
