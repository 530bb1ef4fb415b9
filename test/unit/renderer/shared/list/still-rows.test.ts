import { ref } from 'vue'
import { expect, test } from 'vitest'
import { useStillRows } from '../../../../../renderer/src/shared/list/still-rows.ts'

test('keeps rows in place under the pointer, with their news, until it leaves or another list shows', () => {
  const list = ref<string | null>('running')
  const now = ref(['a1', 'b1', 'c1'])
  const still = useStillRows(
    () => now.value,
    (row) => row[0]!,
    () => list.value,
  )
  expect(still.rows.value).toEqual(['a1', 'b1', 'c1'])
  still.point(true)
  now.value = ['d2', 'c2', 'a2']
  expect(still.rows.value).toEqual(['a2', 'b1', 'c2', 'd2'])
  expect(still.added.value).toBe(1)
  expect(still.rows.value.filter(still.hasLeft)).toEqual(['b1'])
  now.value = ['d3']
  expect(still.rows.value).toEqual(['a2', 'b1', 'c2', 'd3'])
  list.value = null
  expect(still.rows.value).toEqual(['d3'])
  list.value = 'all'
  expect(still.rows.value).toEqual(['d3'])
  now.value = ['e1', 'd4']
  expect(still.rows.value).toEqual(['d4', 'e1'])
  still.point(false)
  expect(still.rows.value).toEqual(['e1', 'd4'])
  expect(still.added.value).toBe(0)
  still.point(true)
  // `g` was loaded at the end, and is not new.
  now.value = ['f1', 'e1', 'd4', 'g1']
  expect(still.rows.value).toEqual(['e1', 'd4', 'f1', 'g1'])
  expect(still.added.value).toBe(1)
})
