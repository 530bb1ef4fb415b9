import { expect, test } from 'vitest'
import { useDeletionStore } from '../../../../../renderer/src/shared/deletions/deletion.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

const deletion = {
  batchId: 'b-1',
  state: 'held' as const,
  until: null,
  chosen: 3,
  marked: 3,
  requested: 0,
}

test('returns what an undo restored, and counts it', async () => {
  const undone = { undone: 3, lost: 1, unmarked: 0, left: 0 }
  const store = createRendererApp({ outbox: { undo: () => undone } }).run(useDeletionStore)
  expect(await store.undo(deletion)).toEqual(undone)
  expect([store.undone, store.busyId, store.refused]).toEqual([1, null, null])
})

test('keeps the reason when an undo is refused', async () => {
  const store = createRendererApp({}).run(useDeletionStore)
  expect(await store.undo(deletion)).toBeNull()
  expect(store.refused).not.toBeNull()
})
