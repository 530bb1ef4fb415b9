import type { ContactFilter } from '../../contract/people/contacts.ts'
import type { Database } from '../../database/open.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import { numbersMeant, readNumberList } from './number-list.ts'
import { changedHere, contactStates, marks } from './store-types.ts'

/** Conditions of a statement on `contacts c`, with their parameters. */
export interface Conditions {
  sql: string[]
  params: unknown[]
  /** Queries for the ids of one condition by index: a few ids are cheaper to check than to find along an order. */
  narrowing: { sql: string; params: unknown[] }[]
}

export const whereOf = (sql: readonly string[]) => (sql.length === 0 ? '' : `WHERE ${sql.join(' AND ')}`)

/** Turns a filter into conditions. Of its text, only a list of complete numbers becomes one. */
export function createConditions(contactsDb: Database) {
  const setsBehind = contactsDb.prepare<[number, string], { id: number; json: string }>(
    'SELECT id, json FROM tag_sets WHERE id > ? AND instr(json, ?) > 0',
  )
  const newestSet = contactsDb.prepare<[], number | null>('SELECT max(id) FROM tag_sets').pluck()
  const importOf = contactsDb.prepare<[string], { no: number; firstId: number; lastId: number }>(
    'SELECT no, first_id AS firstId, last_id AS lastId FROM imports WHERE id = ?',
  )
  const numbersHere = contactsDb
    .prepare<[string], number>('SELECT digits FROM contacts WHERE digits IN (SELECT value FROM json_each(?))')
    .pluck()
  /** Sets that match the last tag filter: there may be as many sets as contacts. */
  let known: { tags: string; newest: number; ids: number[] } | null = null

  /** Tag sets that match. A set never changes, so only new ones are checked. */
  function tagSetsOf(tags: NonNullable<ContactFilter['tags']>): number[] {
    const asked = JSON.stringify(tags)
    // A writer may roll a set back and reuse its id.
    const before = contactsDb.readonly && known?.tags === asked ? known : { tags: asked, newest: 0, ids: [] }
    const newest = newestSet.get() ?? 0
    const fits = setsBehind.all(before.newest, `${JSON.stringify(tags[0]!.key)}:`).filter(({ json }) => {
      const set = readTagsJson(json)
      return (
        set !== null &&
        tags.every(({ key, value }) => Object.hasOwn(set, key) && (value === null || set[key] === value))
      )
    })
    known = { tags: asked, newest, ids: [...before.ids, ...fits.map(({ id }) => id)] }
    return known.ids
  }

  return (filter: ContactFilter): Conditions => {
    const sql: string[] = []
    const params: unknown[] = []
    const narrowing: Conditions['narrowing'] = []
    if (filter.states && filter.states.length > 0) {
      const states = filter.states.map((state) => contactStates.indexOf(state))
      const isOneOf = `c.state IN (${states.join(', ')})`
      sql.push(isOneOf)
      if (!states.includes(0))
        narrowing.push({
          sql: `SELECT c.id FROM contacts c INDEXED BY contacts_by_state WHERE c.state <> 0 AND ${isOneOf}`,
          params: [],
        })
    }
    const bit = (mark: number, wanted: boolean | undefined) => {
      if (wanted === undefined) return
      const isSet = `c.marks & ${mark} <> 0`
      sql.push(wanted ? isSet : `c.marks & ${mark} = 0`)
      if (wanted)
        narrowing.push({
          sql: `SELECT c.id FROM contacts c INDEXED BY contacts_by_marks WHERE c.marks <> 0 AND ${isSet}`,
          params: [],
        })
    }
    bit(marks.dnc, filter.dnc)
    bit(marks.held, filter.held)
    bit(changedHere, filter.changedHere)
    if (filter.importId !== undefined) {
      const { importId } = filter
      const { no, firstId, lastId } = importOf.get(importId) ?? { no: -1, firstId: 0, lastId: -1 }
      // Ids created by an import are contiguous; changed contacts are listed separately.
      sql.push(`(c.id BETWEEN ? AND ? AND c.import_no = ?
        OR EXISTS (SELECT 1 FROM import_changes i WHERE i.import_id = ? AND i.contact_id = c.id))`)
      params.push(firstId, lastId, no, importId)
      narrowing.push({
        sql: `SELECT c.id FROM contacts c WHERE c.id BETWEEN ? AND ?
          UNION SELECT contact_id FROM import_changes WHERE import_id = ?`,
        params: [firstId, lastId, importId],
      })
    }
    const numbers = readNumberList(filter.text)
    if (numbers.length > 0) {
      // Compares with the few numbers that exist, not with every possible reading.
      const here = JSON.stringify(numbersHere.all(JSON.stringify(numbers.flatMap(numbersMeant))))
      const isOneOf = 'c.digits IN (SELECT value FROM json_each(?))'
      sql.push(isOneOf)
      params.push(here)
      narrowing.push({ sql: `SELECT c.id FROM contacts c WHERE ${isOneOf}`, params: [here] })
    }
    if (filter.tags && filter.tags.length > 0) {
      const isOneOf = 'c.tag_set IN (SELECT value FROM json_each(?))'
      const sets = JSON.stringify(tagSetsOf(filter.tags))
      sql.push(isOneOf)
      params.push(sets)
      narrowing.push({
        sql: `SELECT c.id FROM contacts c INDEXED BY contacts_by_tag_set WHERE ${isOneOf}`,
        params: [sets],
      })
    }
    return { sql, params, narrowing }
  }
}
