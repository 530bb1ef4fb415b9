import { QueryClient, QueryObserver, VueQueryPlugin } from '@tanstack/vue-query'
import { expect, test, vi } from 'vitest'
import { createApp, effectScope, nextTick, ref } from 'vue'
import { createQueryClient, useRecovery } from '../../../../../renderer/src/shared/query/query-client.ts'

test('asks again for open answers that failed, while the service doesn’t respond and once it does', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const app = createApp({}).use(VueQueryPlugin, { queryClient: client })
  const reachable = ref<boolean | null>(null)
  const scope = effectScope()
  app.runWithContext(() => scope.run(() => useRecovery(() => reachable.value)))
  const asked: string[] = []
  const answers: Record<string, () => unknown> = {
    failed: () => Promise.reject(new Error('offline')),
    stale: () => ({ freshness: { error: {} } }),
    late: () => ({ freshness: { source: 'cache', error: null } }),
    'stale page': () => ({ pages: [{ freshness: { error: null } }, { freshness: { error: {} } }] }),
    'not watched': () => ({ freshness: { error: null }, watch: { problem: {} } }),
    current: () => ({ freshness: { error: null } }),
    local: () => 'text',
  }
  for (const [name, answer] of Object.entries(answers))
    new QueryObserver(client, { queryKey: [name], queryFn: () => (asked.push(name), answer()) }).subscribe(
      () => {},
    )
  await vi.waitFor(() => expect(client.isFetching()).toBe(0))
  asked.length = 0
  reachable.value = false
  await nextTick()
  vi.advanceTimersByTime(10_000)
  expect(asked).toEqual(['stale', 'late', 'stale page', 'not watched'])
  await vi.waitFor(() => expect(client.isFetching()).toBe(0))
  asked.length = 0
  reachable.value = true
  await nextTick()
  vi.advanceTimersByTime(60_000)
  expect(asked).toEqual(['failed', 'stale', 'late', 'stale page', 'not watched'])
  client.clear()
  scope.stop()
  vi.useRealTimers()
})

test('asks again for what failed when the core is back, not for answers', async () => {
  const state = ref<'open' | 'reconnecting'>('open')
  const client = createQueryClient({ state } as never)
  client.mount()
  const asked: string[] = []
  for (const name of ['failed', 'answered']) {
    const queryFn = () => (asked.push(name), name === 'failed' ? Promise.reject(new Error('gone')) : name)
    new QueryObserver(client, { queryKey: [name], queryFn }).subscribe(() => {})
  }
  await vi.waitFor(() => expect(client.isFetching()).toBe(0))
  asked.length = 0
  state.value = 'reconnecting'
  state.value = 'open'
  await vi.waitFor(() => expect(asked).toEqual(['failed']))
  client.unmount()
  client.clear()
})
