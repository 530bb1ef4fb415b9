import { readTagsJson, withTags } from '../../lib/tags-json.ts'

/** Fields of a contact that a file's row can change. */
export interface MergeFields {
  name: string
  email: string
  note: string
  tagsJson: string
}

/** Merges a row into a contact: empty fields stay, tags are added. Preview and import share it. */
export function mergeRow(contact: MergeFields, row: MergeFields): MergeFields {
  return {
    name: row.name || contact.name,
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
  a.name === b.name && a.email === b.email && a.note === b.note && a.tagsJson === b.tagsJson
