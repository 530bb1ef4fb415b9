import { expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { idleDrain, outboxCounts } from '../../../../helpers/scripted/outbox.ts'
import { useOutbox } from '../../../../../renderer/src/features/outbox/use-outbox.ts'

test('reads the batches again when a start is missed or moved, and with the one in the address', async () => {
  vi.useFakeTimers()
  const counts = outboxCounts({ scheduled: 5 })
  const app = createRendererApp({
    outbox: {
      list: () => ({ items: [], total: 0, nextCursor: null, asOf: '2026-01-05T10:00:00Z' }),
      batches: () => ({ items: [], nextCursor: null, counts }),
    },
  })
  app.run(useOutbox)
  const reads = () => app.calls.filter(({ name }) => name === 'outbox.batches')
  const nextStart = '2026-01-05T10:00:00Z'
  const drains = [{ nextStart }, { missedStarts: 1 }, { missedStarts: 1, movedStarts: 1 }]
  for (const [at, drain] of drains.entries()) {
    app.streams[0]!.onItem(idleDrain({ counts, ...drain }) as never)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(reads()).toHaveLength(at + 1)
  }
  app.route.query = { batch: 'b-1' }
  await nextTick()
  await vi.advanceTimersByTimeAsync(1)
  expect(reads().at(-1)!.input).toEqual({ limit: 50, batchId: 'b-1' })
  app.scope.stop()
  vi.useRealTimers()
})
