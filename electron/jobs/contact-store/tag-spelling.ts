import type { Database } from '../../database/open.ts'
import { foldTagKey, readTagsJson } from '../../lib/tags-json.ts'

/** Gives each tag key the spelling it first had in the store. */
export function createTagSpelling(db: Database) {
  const all = db.prepare<[], string>('SELECT json FROM tag_sets ORDER BY id').pluck()
  let known: Map<string, string> | null = null

  function spellings(): Map<string, string> {
    if (known) return known
    known = new Map()
    for (const json of all.iterate())
      for (const key of Object.keys(readTagsJson(json) ?? {})) {
        const folded = foldTagKey(key)
        if (!known.has(folded)) known.set(folded, key)
      }
    return known
  }

  return {
    /**
     * A set of tags with known spellings; of two keys that differ only by case, the last value counts. Unreadable
     * JSON is returned unchanged.
     */
    of(json: string): string {
      if (json === '{}') return json
      const tags = readTagsJson(json)
      if (!tags) return json
      const spelled = new Map<string, string>()
      for (const [key, value] of Object.entries(tags)) {
        const folded = foldTagKey(key)
        const spelling = spellings().get(folded) ?? key
        spellings().set(folded, spelling)
        spelled.set(spelling, value)
      }
      return JSON.stringify(Object.fromEntries(spelled))
    },
    /** Reads the spellings from the contact store again. */
    forget: () => void (known = null),
  }
}
