import type { Database } from '../../database/open.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import { readOrder } from './contact-order.ts'
import { marks } from './store-types.ts'
import type { SearchFunctions } from './protocol.ts'
import type { ContactSearch } from './contact-search.ts'
import { createUnreadableSets } from './unreadable-tags.ts'

/** Values per tag key, most common first. */
const tagValuesMax = 20

/** Reads of the search thread; each takes time that grows with the contacts. */
export type ContactReads = Omit<SearchFunctions, 'open' | 'close' | 'clearIndex' | 'truncateIndexLog'>

export function createContactReads(contactsDb: Database, search: ContactSearch): ContactReads {
  const unreadableSets = createUnreadableSets(contactsDb)
  const among = contactsDb
    .prepare<[string], number>(
      'SELECT count(*) FROM contacts WHERE tag_set IN (SELECT value FROM json_each(?))',
    )
    .pluck()

  return {
    figures() {
      const byState = contactsDb
        .prepare<[], { state: number; n: number }>(
          'SELECT state, count(*) AS n FROM contacts WHERE state <> 0 GROUP BY state',
        )
        .all()
      const count = (where: string) =>
        contactsDb.prepare<[], number>(`SELECT count(*) FROM contacts WHERE ${where}`).pluck().get()!
      return {
        total: count('1'),
        byState: Object.fromEntries(byState.map(({ state, n }) => [state, n])),
        dnc: count(`marks <> 0 AND marks & ${marks.dnc} <> 0`),
        held: count(`marks <> 0 AND marks & ${marks.held} <> 0`),
        unreadableTags: among.get(JSON.stringify(unreadableSets()))!,
      }
    },

    count: (filter) => search.count(filter),
    ids: search.ids,

    tagKeys() {
      const keys = new Map<string, { count: number; values: Map<string, number> }>()
      const sets = contactsDb
        .prepare<[], { json: string; n: number }>(
          `SELECT t.json, u.n FROM (SELECT tag_set, count(*) AS n FROM contacts GROUP BY tag_set) u
           JOIN tag_sets t ON t.id = u.tag_set`,
        )
        .iterate()
      for (const { json, n } of sets) {
        for (const [key, value] of Object.entries(readTagsJson(json) ?? {})) {
          const known = keys.get(key) ?? { count: 0, values: new Map<string, number>() }
          known.count += n
          if (known.values.size < 1_000 || known.values.has(value))
            known.values.set(value, (known.values.get(value) ?? 0) + n)
          keys.set(key, known)
        }
      }
      return [...keys]
        .map(([key, { count, values }]) => ({
          key,
          count,
          values: [...values]
            .sort((a, b) => b[1] - a[1])
            .slice(0, tagValuesMax)
            .map(([value]) => value),
        }))
        .sort((a, b) => b.count - a.count)
        .slice(0, 500)
    },

    order: (by) => readOrder(contactsDb, by),
  }
}
