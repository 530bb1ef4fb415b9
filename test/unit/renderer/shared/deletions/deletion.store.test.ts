import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useDeletionStore } from '../../../../../renderer/src/shared/deletions/deletion.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const deletion = (batchId: string) => ({
  batchId,
  state: 'held' as const,
  until: null,
  chosen: 3,
  marked: 3,
  requested: 0,
})

/** A deletion whose undo restores three contacts and loses `lost`. */
async function takenBack(lost: number) {
  const app = createRendererApp({ outbox: { undo: () => ({ undone: 3, lost, unmarked: 0 }) } })
  const store = app.run(useDeletionStore)
  store.start()
  const tell = (...deletions: ReturnType<typeof deletion>[]) => app.streams[0]!.onItem({ deletions } as never)
  tell(deletion('b-1'))
  await store.undo(deletion('b-1'))
  return { store, tell }
}

test('shows for a while that contacts came back', async () => {
  const { store, tell } = await takenBack(0)
  tell(deletion('b-1'))
  tell()
  vi.advanceTimersByTime(29_000)
  expect(store.told).toBe('3 contacts restored.')
  vi.advanceTimersByTime(1_000)
  expect(store.told).toBe('')
})

test('replaces the result of a deletion by the next deletion', async () => {
  const { store, tell } = await takenBack(0)
  tell(deletion('b-2'))
  expect(store.told).toBe('')
})

test('keeps the report of lost contacts until it is dismissed', async () => {
  const { store, tell } = await takenBack(1)
  tell(deletion('b-2'))
  vi.advanceTimersByTime(600_000)
  expect(store.told).toContain('1 not restored')
})
