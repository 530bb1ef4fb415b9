import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ref } from 'vue'
import type { Subscription } from '#contract/webhooks.ts'
import { useWebhooksStore } from '../../../../../renderer/src/features/webhooks/webhooks.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const freshness = { asOf: '2026-01-05T09:00:00.000Z', source: 'live', error: null }
const subscriptions = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `wh-${n}` }) as Subscription)

function open(list: (input: unknown) => unknown) {
  const looked = ref(true)
  const app = createRendererApp({ webhooks: { list } })
  const store = app.run(useWebhooksStore)
  const stop = store.start(looked)
  const asked = () => app.calls.map(({ input }) => (input ? 'by itself' : 'asked'))
  return { store, stop, looked, asked }
}
const shown = (store: ReturnType<typeof useWebhooksStore>) =>
  store.subscriptions.kind === 'ready' ? store.subscriptions.value.subscriptions.length : store.subscriptions

it('is read once at once, and once a minute by itself until it is left', async () => {
  let count = 0
  const { store, stop, asked } = open(() => ({ subscriptions: subscriptions(++count), freshness }))
  await vi.advanceTimersByTimeAsync(59_000)
  expect(asked()).toEqual(['asked'])
  await vi.advanceTimersByTimeAsync(120_000)
  expect(asked()).toEqual(['asked', 'by itself', 'by itself'])
  expect(shown(store)).toBe(3)
  stop()
  await vi.advanceTimersByTimeAsync(300_000)
  expect(asked()).toHaveLength(3)
})

it('asks nothing while nobody looks or nothing can be had, and once it is looked at again only what is due', async () => {
  const { looked, asked } = open(() => ({ subscriptions: [], freshness }))
  await vi.advanceTimersByTimeAsync(10_000)
  looked.value = false
  await vi.advanceTimersByTimeAsync(20_000)
  looked.value = true
  await vi.advanceTimersByTimeAsync(20_000)
  expect(asked()).toEqual(['asked'])
  looked.value = false
  await vi.advanceTimersByTimeAsync(600_000)
  expect(asked()).toEqual(['asked'])
  looked.value = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked()).toEqual(['asked', 'by itself'])
})

it('a reading of a person puts the next one off, and no older answer takes its place', async () => {
  const late: ((answer: unknown) => void)[] = []
  const { store, asked } = open((input) =>
    input ? new Promise((resolve) => late.push(resolve)) : { subscriptions: subscriptions(2), freshness },
  )
  await vi.advanceTimersByTimeAsync(50_000)
  await store.refresh()
  await vi.advanceTimersByTimeAsync(50_000)
  expect(asked()).toEqual(['asked', 'asked'])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked()).toEqual(['asked', 'asked', 'by itself'])
  await store.refresh()
  late[0]!({ subscriptions: subscriptions(9), freshness })
  await vi.advanceTimersByTimeAsync(0)
  expect(shown(store)).toBe(2)
})

it('a failure of a reading by itself leaves what is shown', async () => {
  const { store } = open((input) => {
    if (input) throw new Error('gone')
    return { subscriptions: subscriptions(2), freshness }
  })
  await vi.advanceTimersByTimeAsync(200_000)
  expect(store.subscriptions).toMatchObject({ kind: 'ready', error: null })
})

it('is read the less often the more pages it has', async () => {
  const { store, asked } = open(() => ({ subscriptions: subscriptions(101), freshness }))
  await vi.advanceTimersByTimeAsync(110_000)
  expect(store.periodMs).toBe(120_000)
  expect(asked()).toEqual(['asked'])
  await vi.advanceTimersByTimeAsync(11_000)
  expect(asked()).toEqual(['asked', 'by itself'])
})
