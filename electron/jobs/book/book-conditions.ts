import { type BookFilter, contactStates, marks } from './book-types.ts'

/** A part of a statement on `contacts c`, and what it is given. */
export interface Conditions {
  sql: string[]
  params: unknown[]
}

type Ask = <T>(sql: string, ...params: unknown[]) => T[]

/** An import whose ids span no more is read whole and sorted. */
const rangeMax = 20_000

export const whereOf = (sql: readonly string[]) => (sql.length === 0 ? '' : `WHERE ${sql.join(' AND ')}`)

/** Tag sets that a filter on tags lets through, as JSON; null when it does not filter. */
function tagSetsOf(ask: Ask, tags: BookFilter['tags']): string | null {
  if (!tags || tags.length === 0) return null
  const sets = ask<{ id: number; json: string }>('SELECT id, json FROM tag_sets')
  const fits = sets.filter(({ json }) => {
    const set = JSON.parse(json) as Record<string, string>
    return tags.every(({ key, value }) => Object.hasOwn(set, key) && (value === null || set[key] === value))
  })
  return JSON.stringify(fits.map(({ id }) => id))
}

/** Everything of a filter but its text. */
export function conditionsOf(ask: Ask, filter: BookFilter): Conditions {
  const sql: string[] = []
  const params: unknown[] = []
  if (filter.states && filter.states.length > 0)
    sql.push(`c.state IN (${filter.states.map((state) => contactStates.indexOf(state)).join(', ')})`)
  const bit = (mark: number, wanted: boolean | undefined) => {
    if (wanted !== undefined)
      sql.push(wanted ? `c.marks <> 0 AND c.marks & ${mark} <> 0` : `c.marks & ${mark} = 0`)
  }
  bit(marks.dnc, filter.dnc)
  bit(marks.held, filter.held)
  if (filter.importId !== undefined) {
    // Its contacts' ids lie together: the range is looked through, or gone along in the wanted order where it is wide.
    const [found] = ask<{ no: number; firstId: number; lastId: number }>(
      'SELECT no, first_id AS firstId, last_id AS lastId FROM imports WHERE id = ?',
      filter.importId,
    )
    const { no, firstId, lastId } = found ?? { no: -1, firstId: 0, lastId: -1 }
    const id = lastId - firstId > rangeMax ? '+c.id' : 'c.id'
    sql.push(`${id} BETWEEN ? AND ?`, 'c.import_no = ?')
    params.push(firstId, lastId, no)
  }
  const sets = tagSetsOf(ask, filter.tags)
  if (sets !== null) {
    sql.push('c.tag_set IN (SELECT value FROM json_each(?))')
    params.push(sets)
  }
  return { sql, params }
}
