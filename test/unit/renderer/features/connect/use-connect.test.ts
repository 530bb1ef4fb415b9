import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { emptyForm } from '../../../../../renderer/src/features/connect/connect-form.ts'
import { useConnect } from '../../../../../renderer/src/features/connect/use-connect.ts'
import { createRendererApp, type FakeCalls } from '../../../../helpers/renderer-app.ts'
import { connections, inKeychain } from '../../../../helpers/scripted-answers.ts'

const form = { ...emptyForm(), baseUrl: 'https://api.example.com/v1', username: 'op', password: 'p' }
const opened = { connection: connections[0]!, secrets: inKeychain }

function setUp(answers: FakeCalls['connections'] & object) {
  const app = createRendererApp({ connections: answers })
  return { app, connect: app.run(useConnect) }
}

describe('connecting', () => {
  it('sends nothing while a field is empty', async () => {
    const { app, connect } = setUp({ connect: () => opened })
    expect(await connect.submit({ ...form, password: '' })).toBe(false)
    expect(connect.state.value).toEqual({ kind: 'incomplete', fields: ['password'] })
    expect(app.calls).toEqual([])
  })

  it('is connecting until the connection is open', async () => {
    const { connect } = setUp({ connect: () => opened })
    const outcome = connect.submit(form)
    expect(connect.state.value).toEqual({ kind: 'connecting', what: 'service' })
    expect(await outcome).toBe(true)
    expect(connect.state.value).toEqual({ kind: 'connected' })
  })

  it('shows a wrong password at the password', async () => {
    const { connect } = setUp({
      connect: () => {
        throw new ORPCError('WRONG_PASSWORD', { data: { serviceText: 'bad credentials' } })
      },
    })
    expect(await connect.submit(form)).toBe(false)
    expect(connect.state.value).toMatchObject({ kind: 'failed', field: 'password', what: 'service' })
    expect(JSON.stringify(connect.state.value)).toContain('bad credentials')
  })

  it('does one thing at a time: a second click changes nothing', async () => {
    const hold = Promise.withResolvers<typeof opened>()
    const { app, connect } = setUp({ connect: () => hold.promise, openSandbox: () => opened })
    const first = connect.submit(form)
    expect(await connect.openSandbox()).toBe(false)
    hold.resolve(opened)
    expect(await first).toBe(true)
    expect(app.calls.map(({ name }) => name)).toEqual(['connections.connect'])
  })

  it('opens the sandbox without further input', async () => {
    const { app, connect } = setUp({ openSandbox: () => opened })
    expect(await connect.openSandbox()).toBe(true)
    expect(app.calls).toEqual([{ name: 'connections.openSandbox', input: undefined }])
  })

  it('keeps no secret in its state', async () => {
    const { connect } = setUp({ connect: () => opened })
    await connect.submit({ ...form, password: 'hunter2hunter2' })
    expect(JSON.stringify(connect.state.value)).not.toContain('hunter2')
  })
})
