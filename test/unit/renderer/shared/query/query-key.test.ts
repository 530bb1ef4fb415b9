import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { createPinia } from 'pinia'
import { expect, test } from 'vitest'
import { createApp, effectScope, nextTick, shallowRef } from 'vue'
import { rpcKey } from '../../../../../renderer/src/rpc/rpc.ts'
import { useForgottenAnswers, useQueryKey } from '../../../../../renderer/src/shared/query/use-query-key.ts'
import { useStatusStore } from '../../../../../renderer/src/shared/status/status.store.ts'

const connection = (id: string, username = 'ana') => ({
  id,
  baseUrl: 'https://api.example',
  credentialKind: 'password',
  username,
})

test('keeps answers for a connection and its sign-in, until another connection opens', async () => {
  const client = new QueryClient()
  const app = createApp({})
    .provide(rpcKey, { state: shallowRef('open') } as never)
    .use(createPinia())
    .use(VueQueryPlugin, { queryClient: client })
  const scope = effectScope()
  const { keyOf, status } = app.runWithContext(() =>
    scope.run(() => {
      useForgottenAnswers()
      return { keyOf: useQueryKey(), status: useStatusStore() }
    })!,
  )
  const open = async (next: object) => {
    status.state = { kind: 'ready', status: { connection: next } } as never
    await nextTick()
    return keyOf('list')
  }

  const first = await open(connection('a'))
  client.setQueryData(first, 'of a')
  expect(await open(connection('a', 'bo'))).not.toEqual(first)
  expect(client.getQueryData(first)).toBe('of a')
  const second = await open(connection('b'))
  expect(second[0]).toBe('b')
  expect(client.getQueryData(first)).toBeUndefined()
  scope.stop()
})
