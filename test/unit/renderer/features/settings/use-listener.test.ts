import { ORPCError } from '@orpc/client'
import { useQueryClient } from '@tanstack/vue-query'
import { expect, it } from 'vitest'
import { useListener } from '../../../../../renderer/src/features/settings/use-listener.ts'
import { useListenerView } from '../../../../../renderer/src/shared/status/use-listener-view.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { ordinaryStatus } from '../../../../helpers/scripted-answers.ts'

const config = { port: 8787, address: '127.0.0.1', path: '/webhooks', allowUnsigned: false }
const view = { config, secrets: [], status: ordinaryStatus().listener }
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

it('shows the address that a move returns', async () => {
  const app = createRendererApp({
    listener: { get: () => view, configure: (next) => ({ ...view, config: next }) },
  })
  const { view: shown, configure } = app.run(() => ({ ...useListener(), view: useListenerView() }))
  await turn()
  await configure({ ...config, port: 9000 })
  expect(shown.data.value?.config.port).toBe(9000)
  app.scope.stop()
})

it('reads the address again when a move fails, because the old one may be gone', async () => {
  let reads = 0
  const app = createRendererApp({
    listener: {
      get: () => (reads++, view),
      configure: () => {
        throw new ORPCError('PORT_TAKEN', { data: { port: 9000 } })
      },
    },
  })
  const { configure } = app.run(() => ({ ...useListener(), view: useListenerView() }))
  await turn()
  await expect(configure({ ...config, port: 9000 })).rejects.toMatchObject({ code: 'PORT_TAKEN' })
  await turn()
  expect(reads).toBe(2)
  app.scope.stop()
})

it('adds a secret, and never stores its value', async () => {
  const app = createRendererApp({ listener: { get: () => view, addSecret: () => view } })
  const { addSecret, cache } = app.run(() => ({ ...useListener(), cache: useQueryClient() }))
  await addSecret({ label: 'new', value: 's3cret-value', retireOthersAfterHours: 24 })
  const kept = [
    ...cache
      .getQueryCache()
      .getAll()
      .map(({ state }) => state.data),
    ...cache
      .getMutationCache()
      .getAll()
      .map(({ state }) => state.variables),
  ]
  expect(JSON.stringify(kept)).not.toContain('s3cret')
  app.scope.stop()
})
