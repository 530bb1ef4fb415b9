import { expect, test, vi } from 'vitest'
import { useAnswer } from '../../../../../renderer/src/shared/query/use-answer.ts'
import { useStatusStore } from '../../../../../renderer/src/shared/status/status.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

test('keeps the answer to a change for the connection that it was made in', async () => {
  const app = createRendererApp({})
  const status = app.run(useStatusStore)
  const open = (id: string) => {
    status.state = { kind: 'ready', status: { connection: { id } } } as never
  }
  open('a')
  const query = app.run(() =>
    useAnswer(
      () => ['filters'],
      async () => `of ${status.connection!.id}`,
    ),
  )
  await vi.waitFor(() => expect(query.data.value).toBe('of a'))
  const answer = Promise.withResolvers<string>()
  const change = query.set(answer.promise)
  open('b')
  await vi.waitFor(() => expect(query.data.value).toBe('of b'))
  answer.resolve('changed in a')
  expect(await change).toBe('changed in a')
  await new Promise((resolve) => setTimeout(resolve))
  expect(query.data.value).toBe('of b')
  await query.set('changed in b')
  await vi.waitFor(() => expect(query.data.value).toBe('changed in b'))
  app.scope.stop()
})
