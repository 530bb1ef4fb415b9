import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createApp, effectScope, nextTick, ref } from 'vue'
import type { EventFilter, EventRow } from '#contract/live/events.ts'
import { useSentReports } from '../../../../../renderer/src/features/inbox/use-conversation.ts'
import { type Rpc, rpcKey } from '../../../../../renderer/src/rpc/rpc.ts'
import { scriptedRow } from '../../../../helpers/scripted-events.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('finds the reports of a number, adds those that arrive once, and starts again for another number', async () => {
  const number = '+44 7700 900001'
  const of = (seq: number, to = number) => scriptedRow(seq, Date.now(), { number: to })
  const answers: EventRow[][] = [[of(2), of(1), of(3, '+447700900001234')], [of(4), of(2)], [of(9, '+12')]]
  const asked: EventFilter[] = []
  const search = async ({ filter }: { filter: EventFilter }) => {
    asked.push(filter)
    return { items: answers.shift() ?? [], asOf: new Date().toISOString() }
  }
  const phone = ref<string | null>('+447700900001')
  const scope = effectScope()
  const reports = createApp({})
    .provide(rpcKey, { client: { events: { search } } } as unknown as Rpc)
    .runWithContext(() => scope.run(() => useSentReports(phone, ref(true)))!)
  const seqs = () => reports.value.map(({ seq }) => seq)
  await vi.advanceTimersByTimeAsync(0)
  expect(seqs()).toEqual([2, 1])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(seqs()).toEqual([4, 2, 1])
  expect(asked.map(({ from }) => from !== undefined)).toEqual([false, true])

  phone.value = '+12'
  await nextTick()
  expect(seqs()).toEqual([])
  await vi.advanceTimersByTimeAsync(0)
  expect(seqs()).toEqual([9])
  scope.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toHaveLength(3)
})
