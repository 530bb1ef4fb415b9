import { expect, it, vi } from 'vitest'
import { ref } from 'vue'
import { errorView } from '../../../../../renderer/src/rpc/error-view.ts'
import { useStatusStore } from '../../../../../renderer/src/shared/status/status.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { ordinaryStatus } from '../../../../helpers/scripted-answers.ts'

it('follows the stream, keeps the last status when it breaks, and ends at its stop', () => {
  const app = createRendererApp({})
  const store = app.run(useStatusStore)
  expect(app.streams).toHaveLength(0)
  const stop = store.start(ref(null))
  expect(store.state.kind).toBe('loading')
  app.streams[0]!.onItem(ordinaryStatus() as never)
  expect(store.connection?.name).toBe('Acme production')
  expect(store.alive).toBe(true)
  app.streams[0]!.onLost!(errorView('DISCONNECTED'))
  expect(store.state.kind).toBe('lost')
  expect(store.alive).toBe(false)
  expect(store.connection?.name).toBe('Acme production')
  stop()
  expect(app.streams).toHaveLength(0)
  expect(store.status).toBeNull()
})

it('keeps unchanged parts as the same objects', () => {
  const app = createRendererApp({})
  const store = app.run(useStatusStore)
  store.start(ref(null))
  app.streams[0]!.onItem(ordinaryStatus() as never)
  const { connection, listener } = store
  app.streams[0]!.onItem({ ...structuredClone(ordinaryStatus()), storedEvents: 7 } as never)
  expect(store.status?.storedEvents).toBe(7)
  expect(store.connection).toBe(connection)
  expect(store.listener).toBe(listener)
})

it('ends the stream of a connection when another one is shown, and opens one for that', () => {
  const app = createRendererApp({})
  const connectionId = ref('a')
  app.run(useStatusStore).start(connectionId)
  const [first] = app.streams
  connectionId.value = 'b'
  expect(app.streams).toHaveLength(1)
  expect(app.streams[0]).not.toBe(first)
  const watch = vi.fn()
  app.streams[0]!.open({ status: { watch } } as never, new AbortController().signal)
  expect(watch.mock.calls[0]![0]).toEqual({ connectionId: 'b' })
})
