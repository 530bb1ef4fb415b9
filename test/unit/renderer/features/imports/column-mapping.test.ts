import { expect, test } from 'vitest'
import { type ColumnTarget, importChoicesSchema } from '#electron/contract/people/imports.ts'
import { columnsFor } from '#electron/contract/people/column-order.ts'
import { mapColumn, moveColumn } from '../../../../../renderer/src/features/imports/column-mapping.ts'

const schema = importChoicesSchema.shape.columns
const guessed: ColumnTarget[] = [{ to: 'phone', rank: 2 }, { to: 'email' }, { to: 'phone', rank: 1 }]

/** Every mapping that so many steps reach from another. */
function reached(columns: ColumnTarget[], steps: number): ColumnTarget[][] {
  if (steps === 0) return [columns]
  const next = columns.flatMap((_, at) => [
    ...([-1, 1] as const).map((by) => moveColumn(columns, at, by)),
    ...(['phone', 'email', 'tag', 'ignore'] as const).map((to) => mapColumn(columns, at, to, 'Title')),
  ])
  return next.flatMap((one) => reached(one, steps - 1))
}

test('keeps the order of columns that feed one field valid through every change', () => {
  for (const columns of reached(guessed, 3)) {
    expect(() => schema.parse(columns)).not.toThrow()
    for (const field of ['phone', 'email'] as const) {
      const ranks = columnsFor(columns, field).map((at) => (columns[at] as { rank?: number }).rank ?? 1)
      expect(ranks).toEqual([...new Set(ranks)].toSorted((a, b) => a - b))
    }
  }
})

test('moves a column before another, puts a new one last, and stays within 500', () => {
  const moved = moveColumn(guessed, 0, -1)
  expect(columnsFor(moved, 'phone')).toEqual([0, 2])
  expect(columnsFor(moveColumn(moved, 0, -1), 'phone')).toEqual([0, 2])
  expect(columnsFor(mapColumn(moved, 1, 'phone', ''), 'phone')).toEqual([0, 2, 1])
  const all = Array.from({ length: 500 }, (_, at): ColumnTarget => ({ to: 'phone', rank: at + 1 }))
  expect(schema.parse(mapColumn(all, 3, 'phone', '')).at(3)).toEqual({ to: 'phone', rank: 500 })
})
