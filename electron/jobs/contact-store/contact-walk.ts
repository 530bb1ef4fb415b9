import type { ContactSort } from '../../contract/people/contacts.ts'
import { fold } from '../../lib/fold.ts'
import { type Conditions, whereOf } from './contact-conditions.ts'
import type { StoreRow } from './store-types.ts'

/** Place of a row in an order. */
export interface OrderPlace {
  key: string | number
  id: number
}

/** SQL sort keys; ids break ties. */
export const sortKeys: Record<ContactSort['by'], string> = {
  name: 'c.name_folded',
  phone: 'c.digits',
  updated: 'c.updated_ms',
  created: 'c.id',
}

const sortIndexes: Record<ContactSort['by'], string> = {
  name: 'INDEXED BY contacts_by_name',
  phone: 'INDEXED BY contacts_by_digits',
  updated: 'INDEXED BY contacts_by_updated',
  created: '',
}

export function sortKeyOf(
  row: Pick<StoreRow, 'id' | 'name' | 'digits' | 'updatedMs'>,
  by: ContactSort['by'],
): string | number {
  if (by === 'name') return fold(row.name)
  if (by === 'phone') return row.digits
  return by === 'updated' ? row.updatedMs : row.id
}

/**
 * The minimum to test a contact: id, digits, name, email, tags as JSON, time of change, and 1 if it meets the SQL
 * conditions (or another number).
 */
export type LeanRow = [number, number, string, string, string, number, number]

/** SQL of lean rows with their last column; using an index, SQLite's choice, or (`among`) the ids of a JSON array. */
export const leanRows = ({ last = '1', index = '', among = false } = {}): string =>
  `SELECT c.id, c.digits, c.name, c.email, t.json, c.updated_ms, ${last}
   FROM ${among ? 'json_each(?) j CROSS JOIN contacts c ON c.id = j.value' : `contacts c ${index}`}
   CROSS JOIN tag_sets t ON t.id = c.tag_set`

export type AskLean = (sql: string, ...params: unknown[]) => LeanRow[]

const placeOf = ([id, digits, name, , , updatedMs]: LeanRow, by: ContactSort['by']): OrderPlace => ({
  id,
  key: sortKeyOf({ id, digits, name, updatedMs }, by),
})

/** Walks contacts in an order, in pieces. */
export function createContactWalk(
  ask: AskLean,
  query: { sort: ContactSort; conditions: Pick<Conditions, 'sql' | 'params'>; from: OrderPlace | null },
) {
  const { sort, conditions } = query
  const [direction, bound] = sort.descending ? ['DESC', '<'] : ['ASC', '>']
  const key = sortKeys[sort.by]
  const order =
    sort.by === 'created' ? `ORDER BY c.id ${direction}` : `ORDER BY ${key} ${direction}, c.id ${direction}`
  // Conditions are a column, not a filter: the rows per step must not depend on how many match.
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
    // Two queries: with a pair, SQLite seeks only the key, and many contacts may have the same.
    const alike = rowsWhere([`${key} = ?`, `c.id ${bound} ?`], [at.key, at.id], limit)
    if (alike.length === limit) return alike
    return [...alike, ...rowsWhere([`${key} ${bound} ?`], [at.key], limit - alike.length)]
  }

  return {
    /** The next rows, also those that don't match. Fewer than requested at the end. */
    next(limit: number): LeanRow[] {
      const rows = read(limit)
      const last = rows.at(-1)
      if (last) at = placeOf(last, sort.by)
      return rows
    },
    /** The last row. Null before the first. */
    get at() {
      return at
    },
  }
}
