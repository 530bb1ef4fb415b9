import type { Database } from '../../database/open.ts'
import { readTagsJson } from '../../lib/tags-json.ts'

/** Tag sets that can't be read. Sets never change, so each is checked once. */
export function createUnreadableSets(contactsDb: Database): () => readonly number[] {
  const behind = contactsDb.prepare<[number], { id: number; json: string }>(
    'SELECT id, json FROM tag_sets WHERE id > ? ORDER BY id',
  )
  let newest = 0
  let found: number[] = []
  return () => {
    const more: number[] = []
    for (const { id, json } of behind.iterate(newest)) {
      newest = id
      if (readTagsJson(json) === null) more.push(id)
    }
    if (more.length > 0) found = [...found, ...more]
    return found
  }
}
