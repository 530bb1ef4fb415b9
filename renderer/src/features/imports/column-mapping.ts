import type { ColumnTarget } from '#contract/people/imports.ts'
import { columnsFor } from '#contract/people/column-order.ts'

type ColumnField = 'phone' | 'email'
export const isField = (to: ColumnTarget['to'] | undefined): to is ColumnField =>
  to === 'phone' || to === 'email'

const ignored: ColumnTarget = { to: 'ignore' }

/** The columns of a field in this order. A single one needs no rank. */
const inOrder = (columns: readonly ColumnTarget[], field: ColumnField, order: readonly number[]) =>
  columns.map((column, at): ColumnTarget => {
    const place = order.indexOf(at)
    if (place === -1) return column
    return order.length === 1 ? { to: field } : { to: field, rank: place + 1 }
  })

/** Moves a column among those of its field, earlier or later. */
export function moveColumn(columns: readonly ColumnTarget[], at: number, by: -1 | 1): ColumnTarget[] {
  const field = columns[at]?.to
  if (!isField(field)) return [...columns]
  const order = columnsFor(columns, field)
  const place = order.indexOf(at)
  const next = order.toSpliced(place, 1).toSpliced(Math.max(0, place + by), 0, at)
  return inOrder(columns, field, next)
}

/** Gives a column another meaning. In a field that has columns it is tried last. `title` becomes the key of a tag. */
export function mapColumn(
  columns: readonly ColumnTarget[],
  at: number,
  to: ColumnTarget['to'],
  title: string,
): ColumnTarget[] {
  if (isField(to)) return inOrder(columns, to, [...columnsFor(columns, to).filter((one) => one !== at), at])
  const target: ColumnTarget = to === 'tag' ? { to, tagKey: title.trim() || `column_${at + 1}` } : { to }
  // One column names the country.
  const others = to === 'country' ? columns.map((one) => (one.to === to ? ignored : one)) : columns
  return others.with(at, target)
}
