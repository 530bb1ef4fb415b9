import { expect, test, vi } from 'vitest'
import { nextTick, type Ref } from 'vue'
import type { EventRow } from '#contract/live/events.ts'
import { createRendererApp, setupOf } from '../../../../helpers/renderer-app.ts'
import { scriptedRow } from '../../../../helpers/scripted-events.ts'
import { idleDrain, outboxCounts, outboxItems } from '../../../../helpers/scripted/outbox.ts'
import ProbableReport from '../../../../../renderer/src/features/outbox/components/ProbableReport.vue'
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

test.each([
  ['delivered', /^It probably arrived.*“Delivered”/],
  ['failed', /“Failed”. It may belong to this message/],
])('shows a report of exactly its number: %s', async (status, words) => {
  const [item] = outboxItems(1, 7, 'b', 'send-ott', () => 'unknown')
  const rowOf = (messageId: string, number: string) => scriptedRow(1, 0, { messageId, number, status })
  const app = createRendererApp({
    events: { search: () => ({ items: [rowOf('m-1', `${item!.phone}99`), rowOf('m-2', item!.phone)] }) },
    outbox: { list: () => ({ items: [] }) },
  })
  const { report, text } = app.run(() =>
    setupOf<{ report: Ref<EventRow | null>; text: Ref<string> }>(ProbableReport, { item }),
  )
  await expect.poll(() => report.value?.messageId).toBe('m-2')
  expect(text.value).toMatch(words)
  app.scope.stop()
})
