import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rawWith, signIn, startSandbox } from './raw.ts'

const main = resolve(import.meta.dirname, '../../../electron/sandbox/main.ts')

function run(args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const child = execFile(process.execPath, [main, ...args], (_error, stdout, stderr) =>
      done({ code: child.exitCode, stdout, stderr }),
    )
  })
}

describe('as a program', () => {
  test('prints address and users, serves, and stops on a signal', async () => {
    const args = '--port 0 --rate 1 --access-token-seconds 15'.split(' ')
    const child = spawn(process.execPath, [main, ...args])
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    while (!said.includes('Stop with')) await once(child.stdout, 'data')
    const [, baseUrl] = /Sandbox ready: (\S+)/.exec(said)!
    expect(said).toContain('operator@harbor.example / harbor-operator')
    expect(said).toMatch(/X-Sandbox-Admin: [0-9a-f]{32}/)
    const user = { username: 'operator@harbor.example', password: 'harbor-operator' }
    const login = await rawWith({ baseUrl: baseUrl! }, {}).post('/auth/login', user)
    expect(login.body).toMatchObject({ expires_in: 15 })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('refuses an invalid flag with exit code 2', async () => {
    const { code, stderr, stdout } = await run(['--rate', 'fast'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('--rate must be a whole number from 0 to 20000, not "fast"')
    expect(stderr).not.toContain('    at ')
  })
})

describe('sandbox-only calls', () => {
  const origin = (baseUrl: string) => baseUrl.replace('/v1', '')

  async function admin() {
    const raw = await signIn(await startSandbox())
    const { sandbox } = raw
    const call = async (method: string, path: string, body?: unknown, token = sandbox.adminToken) => {
      const response = await fetch(`${origin(sandbox.baseUrl)}/sandbox${path}`, {
        method,
        headers: { 'X-Sandbox-Admin': token, ...(body ? { 'Content-Type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: response.status, body: await response.json() }
    }
    return { raw, sandbox, call }
  }

  test('need the admin token; a credential of the service is not enough', async () => {
    const { raw, sandbox, call } = await admin()
    for (const token of ['', 'x', 'f'.repeat(32)])
      expect((await call('GET', '/tenants', undefined, token)).status).toBe(401)
    const withJwt = await fetch(`${origin(sandbox.baseUrl)}/sandbox/tenants`, {
      headers: { Authorization: `Bearer ${raw.accessToken}` },
    })
    expect(withJwt.status).toBe(401)
    expect((await call('GET', '/nope')).status).toBe(404)
  })

  test('set and clear a fault, make an API key, and send an inbound message', async () => {
    const { raw, sandbox, call } = await admin()
    const set = await call('PUT', '/fault', { name: 'error-500' })
    expect(set).toMatchObject({ status: 200, body: { active: { name: 'error-500' } } })
    expect((await raw.get('/dnc')).status).toBe(500)
    expect((await call('DELETE', '/fault')).body).toEqual({ active: null })
    expect((await raw.get('/dnc')).status).toBe(200)
    expect((await call('PUT', '/fault', { name: 'gremlins' })).status).toBe(400)
    const { key } = (await call('POST', '/api-keys', { username: 'operator@harbor.example' })).body
    expect((await rawWith(sandbox, { 'X-API-Key': key }).get('/dnc')).status).toBe(200)
    expect((await call('POST', '/api-keys', { username: 'nobody' })).status).toBe(400)
    const mo = await call('POST', '/events/mo', { content: 'STOP', source: '+4915112345678' })
    expect(mo).toMatchObject({
      status: 201,
      body: { event: 'mo', content: 'STOP', source: '+4915112345678' },
    })
    expect((await call('POST', '/events/mo', { content: 'STOP', tenant: 'Nobody' })).status).toBe(404)
    expect((await call('GET', '/tenants')).body[0].channels).toHaveLength(3)
  })
})
