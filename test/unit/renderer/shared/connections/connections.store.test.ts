import { setImmediate } from 'node:timers/promises'
import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { useConnectionsStore } from '../../../../../renderer/src/shared/connections/connections.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { connections, inKeychain } from '../../../../helpers/scripted-answers.ts'

const list = () => ({ connections, secrets: inKeychain, restored: [], failed: [] })

describe('the saved connections', () => {
  it('are read again after every action, even a failed one', async () => {
    const app = createRendererApp({
      connections: {
        list,
        open: () => {
          throw new ORPCError('SESSION_EXPIRED')
        },
        signOut: () => ({ problem: null }),
      },
    })
    const store = app.run(useConnectionsStore)
    expect(await store.open('c-stage')).toMatchObject({ ok: false, error: { code: 'SESSION_EXPIRED' } })
    expect(await store.signOut('c-prod')).toEqual({ problem: null })
    expect(app.calls.map(({ name }) => name)).toEqual([
      'connections.open',
      'connections.list',
      'connections.signOut',
      'connections.list',
    ])
    expect(store.connections).toHaveLength(3)
  })

  it('are removed with the typed name, or without one where none is needed', async () => {
    const app = createRendererApp({ connections: { list, remove: () => ({ problem: null }) } })
    const store = app.run(useConnectionsStore)
    await store.remove('c-prod', 'Acme production')
    await store.remove('c-stage', undefined)
    const inputs = app.calls.filter(({ name }) => name === 'connections.remove').map(({ input }) => input)
    expect(inputs).toEqual([{ id: 'c-prod', confirmName: 'Acme production' }, { id: 'c-stage' }])
  })

  it('are there after every read, also one that a later read overtook', async () => {
    const reads = [Promise.withResolvers(), Promise.withResolvers()]
    const waiting = [...reads]
    const app = createRendererApp({
      connections: { list: () => waiting.shift()!.promise.then(list) },
    })
    const store = app.run(useConnectionsStore)
    const counts = [store.refresh(), store.refresh()].map((read) => read.then(() => store.connections.length))
    for (const { resolve } of reads) {
      resolve(null)
      await setImmediate()
    }
    expect(await Promise.all(counts)).toEqual([3, 3])
  })

  it('say why they could not be read', async () => {
    const app = createRendererApp({
      connections: {
        list: () => {
          throw new ORPCError('STORAGE_BUSY')
        },
      },
    })
    const store = app.run(useConnectionsStore)
    await store.refresh()
    expect(store.state).toMatchObject({ kind: 'failed', error: { code: 'STORAGE_BUSY' } })
  })
})
