import { readTagsJson, withTags } from '../../lib/tags-json.ts'

/** The fields of a contact that a row of a file can change. */
export interface MergeFields {
  name: string
  email: string
  note: string
  tagsJson: string
}

/** A row's fields over a contact's: what the row leaves empty stays, tags are added. The same before and in the import. */
export function mergeRow(contact: MergeFields, row: MergeFields): MergeFields {
  return {
    name: row.name || contact.name,
    email: row.email || contact.email,
    note: row.note || contact.note,
    tagsJson: mergeTags(contact.tagsJson, row.tagsJson),
  }
}

/** Tags that cannot be read make way for those of the row. */
function mergeTags(before: string, added: string): string {
  if (added === '{}' || added === before) return before
  return JSON.stringify(withTags(readTagsJson(before) ?? {}, JSON.parse(added) as Record<string, string>))
}

export const isSameContact = (a: MergeFields, b: MergeFields): boolean =>
  a.name === b.name && a.email === b.email && a.note === b.note && a.tagsJson === b.tagsJson
