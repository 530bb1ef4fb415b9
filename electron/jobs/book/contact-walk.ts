import { type Conditions, whereOf } from './book-conditions.ts'
import type { BookRow, BookSort } from './book-types.ts'

/** Where a row stands in an order. */
export interface OrderPlace {
  key: string | number
  id: number
}

/** As SQL: by what contacts are ordered; their ids come after it. */
export const sortKeys: Record<BookSort['by'], string> = {
  name: 'c.name COLLATE NOCASE',
  phone: 'c.digits',
  updated: 'c.updated_ms',
  created: 'c.id',
}

const sortIndexes: Record<BookSort['by'], string> = {
  name: 'INDEXED BY contacts_by_name',
  phone: 'INDEXED BY contacts_by_digits',
  updated: 'INDEXED BY contacts_by_updated',
  created: '',
}

/** The value by which a row stands where it stands. */
export function sortKeyOf(
  row: Pick<BookRow, 'id' | 'name' | 'digits' | 'updatedMs'>,
  by: BookSort['by'],
): string | number {
  if (by === 'name') return row.name
  if (by === 'phone') return row.digits
  return by === 'updated' ? row.updatedMs : row.id
}

/**
 * As little of a contact as tells whether it fits a question: id, digits, name, e-mail, tags as JSON, time of change, and 1 where it fits
 * the conditions that SQL was given (or another figure).
 */
export type LeanRow = [number, number, string, string, string, number, number]

/** As SQL: lean rows, their last figure as said; along an index, as SQLite likes, or (`among`) of the ids of a JSON array. */
export const leanRows = ({ last = '1', index = '', among = false } = {}): string =>
  `SELECT c.id, c.digits, c.name, c.email, t.json, c.updated_ms, ${last}
   FROM ${among ? 'json_each(?) j CROSS JOIN contacts c ON c.id = j.value' : `contacts c ${index}`}
   CROSS JOIN tag_sets t ON t.id = c.tag_set`

export type AskLean = (sql: string, ...params: unknown[]) => LeanRow[]

/** Goes along contacts in an order, a piece at a time. */
export interface ContactWalk {
  /** The next rows behind the last, at most so many, those that do not fit the conditions too. Fewer are the end. */
  next(rows: number): LeanRow[]
  /** Where it stands: behind this row. Null before the first. */
  readonly at: OrderPlace | null
}

const placeOf = ([id, digits, name, , , updatedMs]: LeanRow, by: BookSort['by']): OrderPlace => ({
  id,
  key: sortKeyOf({ id, digits, name, updatedMs }, by),
})

export function createContactWalk(
  ask: AskLean,
  query: {
    sort: BookSort
    conditions: Pick<Conditions, 'sql' | 'params'>
    from: OrderPlace | null
    backwards: boolean
  },
): ContactWalk {
  const { sort, conditions, backwards } = query
  const down = sort.descending !== backwards
  const [direction, bound] = down ? ['DESC', '<'] : ['ASC', '>']
  const key = sortKeys[sort.by]
  const order =
    sort.by === 'created' ? `ORDER BY c.id ${direction}` : `ORDER BY ${key} ${direction}, c.id ${direction}`
  // Conditions are told, not asked for: how many rows a piece looks at must not depend on how many of them fit.
  const rows = leanRows({
    last: conditions.sql.length === 0 ? '1' : conditions.sql.join(' AND '),
    index: sortIndexes[sort.by],
  })
  const rowsWhere = (sql: string[], params: unknown[], limit: number) =>
    ask(`${rows} ${whereOf(sql)} ${order} LIMIT ?`, ...conditions.params, ...params, limit)
  let at = query.from

  function read(limit: number): LeanRow[] {
    if (!at) return rowsWhere([], [], limit)
    if (sort.by === 'created') return rowsWhere([`c.id ${bound} ?`], [at.id], limit)
    // In two steps: SQLite does not find the place of a pair in an index that has a collation of its own.
    const alike = rowsWhere([`${key} = ?`, `c.id ${bound} ?`], [at.key, at.id], limit)
    if (alike.length === limit) return alike
    return [...alike, ...rowsWhere([`${key} ${bound} ?`], [at.key], limit - alike.length)]
  }

  return {
    next(limit) {
      const rows = read(limit)
      const last = rows.at(-1)
      if (last) at = placeOf(last, sort.by)
      return rows
    },
    get at() {
      return at
    },
  }
}
