import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { useDialectStore } from '../../../../../renderer/src/features/settings/dialect.store.ts'
import { useListenerStore } from '../../../../../renderer/src/features/settings/listener.store.ts'
import { defaultDialect } from '#electron/core/service/field-names/dialect.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { ordinaryStatus } from '../../../../helpers/scripted-answers.ts'

const config = { port: 8787, address: '127.0.0.1', path: '/webhooks', allowUnsigned: false }
const view = { config, secrets: [], status: ordinaryStatus().listener }
const others = {
  refusals: () => ({ refusals: [], total: 0, byReason: {}, asOf: '2026-01-05T09:00:00.000Z' }),
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

it('takes the view that a move answers with', async () => {
  const app = createRendererApp({
    listener: { get: () => view, configure: (next) => ({ ...view, config: next }), ...others },
  })
  const store = app.run(useListenerStore)
  const stop = store.start()
  await turn()
  expect(await store.configure({ ...config, port: 9000 })).toBeNull()
  expect(store.view).toMatchObject({ kind: 'ready', value: { config: { port: 9000 } } })
  stop()
  expect(store.view.kind).toBe('idle')
})

it('reads the place again when a move fails, for the old one may be gone', async () => {
  let reads = 0
  const app = createRendererApp({
    listener: {
      get: () => (reads++, view),
      configure: () => {
        throw new ORPCError('PORT_TAKEN', { data: { port: 9000, hint: '' } })
      },
      ...others,
    },
  })
  const store = app.run(useListenerStore)
  store.start()
  await turn()
  expect(await store.configure({ ...config, port: 9000 })).toMatchObject({ code: 'PORT_TAKEN' })
  await turn()
  expect(reads).toBe(2)
})

it('adds a secret with or without a grace time, and keeps its value nowhere', async () => {
  const app = createRendererApp({ listener: { get: () => view, addSecret: () => view, ...others } })
  const store = app.run(useListenerStore)
  await store.addSecret({ label: 'new', value: 's3cret-value', retireOthersAfterHours: 24 })
  await store.addSecret({ label: 'new', value: 's3cret-value', retireOthersAfterHours: null })
  expect(app.calls.map(({ input }) => input)).toEqual([
    { label: 'new', value: 's3cret-value', retireOthersAfterHours: 24 },
    { label: 'new', value: 's3cret-value' },
  ])
  expect(JSON.stringify(store.$state)).not.toContain('s3cret')
})

it('keeps the dialect that was there when a change is refused', async () => {
  const app = createRendererApp({
    settings: {
      getDialect: () => defaultDialect,
      setDialect: () => {
        throw new ORPCError('INVALID_INPUT', { data: { detail: 'dncCheckParameter' } })
      },
    },
  })
  const store = app.run(useDialectStore)
  store.start()
  await turn()
  expect(await store.save(defaultDialect)).toMatchObject({ code: 'INVALID_INPUT' })
  expect(store.dialect).toMatchObject({ kind: 'ready', value: defaultDialect })
})
