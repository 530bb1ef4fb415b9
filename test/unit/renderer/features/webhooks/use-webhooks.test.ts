import { expect, test, vi } from 'vitest'
import { ref } from 'vue'
import { useWebhooks } from '../../../../../renderer/src/features/webhooks/use-webhooks.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

test('counts arrivals again when the listener has accepted more, without reading the list again', async () => {
  vi.useFakeTimers()
  const of = (count: number) => ({ subscriptions: [{ id: 's-1', arrived: { count } }] })
  const app = createRendererApp({ webhooks: { list: () => of(1), arrivals: () => of(3) } })
  const accepted = ref(1)
  const { list } = app.run(() => useWebhooks(ref(true), accepted))
  await vi.advanceTimersByTimeAsync(1)
  expect(list.value).toMatchObject(of(1).subscriptions)
  accepted.value = 3
  await vi.advanceTimersByTimeAsync(1_000)
  expect(list.value).toMatchObject(of(3).subscriptions)
  expect(app.calls.map(({ name }) => name)).toEqual(['webhooks.list', 'webhooks.arrivals'])
  app.scope.stop()
  vi.useRealTimers()
})
