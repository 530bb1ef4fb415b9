import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { emptyForm } from '../../../../../renderer/src/features/connect/connect-form.ts'
import { useConnectStore } from '../../../../../renderer/src/features/connect/connect.store.ts'
import { createRendererApp, type FakeCalls } from '../../../../helpers/renderer-app.ts'
import { connections, inKeychain } from '../../../../helpers/scripted-answers.ts'

const form = { ...emptyForm(), baseUrl: 'https://api.example.com/v1', username: 'op', password: 'p' }
const opened = { connection: connections[0]!, secrets: inKeychain }

function setUp(answers: FakeCalls['connections'] & object) {
  const app = createRendererApp({ connections: answers })
  return { app, store: app.run(useConnectStore) }
}

describe('connecting', () => {
  it('sends nothing while a field is empty', async () => {
    const { app, store } = setUp({ connect: () => opened })
    expect(await store.submit({ ...form, password: '' })).toBe(false)
    expect(store.state).toEqual({ kind: 'incomplete', fields: ['password'] })
    expect(app.calls).toEqual([])
  })

  it('is connecting until the connection is open', async () => {
    const { store } = setUp({ connect: () => opened })
    const outcome = store.submit(form)
    expect(store.state).toEqual({ kind: 'connecting', what: 'service' })
    expect(await outcome).toBe(true)
    expect(store.state).toEqual({ kind: 'connected' })
  })

  it('shows a wrong password at the password', async () => {
    const { store } = setUp({
      connect: () => {
        throw new ORPCError('WRONG_PASSWORD', { data: { serviceText: 'bad credentials' } })
      },
    })
    expect(await store.submit(form)).toBe(false)
    expect(store.state).toMatchObject({ kind: 'failed', field: 'password', what: 'service' })
    expect(JSON.stringify(store.state)).toContain('bad credentials')
  })

  it('does one thing at a time: a second click changes nothing', async () => {
    const hold = Promise.withResolvers<typeof opened>()
    const { app, store } = setUp({ connect: () => hold.promise, openSandbox: () => opened })
    const first = store.submit(form)
    expect(await store.openSandbox()).toBe(false)
    hold.resolve(opened)
    expect(await first).toBe(true)
    expect(app.calls.map(({ name }) => name)).toEqual(['connections.connect'])
  })

  it('opens the sandbox without further input', async () => {
    const { app, store } = setUp({ openSandbox: () => opened })
    expect(await store.openSandbox()).toBe(true)
    expect(app.calls).toEqual([{ name: 'connections.openSandbox', input: undefined }])
  })

  it('keeps no secret in its state', async () => {
    const { store } = setUp({ connect: () => opened })
    await store.submit({ ...form, password: 'hunter2hunter2' })
    expect(JSON.stringify(store.$state)).not.toContain('hunter2')
  })
})
