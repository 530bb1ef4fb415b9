import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SandboxAccess } from '#electron/core/ports.ts'
import { createSandboxStarter } from '#electron/hosts/sandbox-client.ts'
import { takePort } from '../../helpers/ports.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

function starter(dataDir: string, options = {}) {
  const sandbox = createSandboxStarter({ dataDir, log: quietLog, options: { traffic: false, ...options } })
  onTestFinished(() => sandbox.stop())
  return sandbox
}

async function signIn({ baseUrl, username, password }: SandboxAccess) {
  const { status } = await fetch(`${baseUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  return status
}

test('starts once on demand with a working sign-in', async () => {
  const dataDir = tempFolder()
  const sandbox = starter(dataDir)
  expect(readdirSync(dataDir)).toEqual([])
  const [first, second] = await Promise.all([sandbox.open(), sandbox.open()])
  expect(second).toEqual(first)
  expect(await signIn(first)).toBe(200)
})

test('restarts on its port with its state', async () => {
  const dataDir = tempFolder()
  const before = await starter(dataDir).open()
  const first = starter(dataDir)
  const access = await first.open()
  expect(access.baseUrl).not.toBe(before.baseUrl)
  await first.stop()
  expect((await starter(dataDir).open()).baseUrl).toBe(access.baseUrl)
  expect(readdirSync(join(dataDir, 'sandbox')).sort()).toEqual(['port', 'state.bin'])
})

test('uses another port when its own is taken', async () => {
  const dataDir = tempFolder()
  const first = starter(dataDir)
  await first.open()
  await first.stop()
  const port = Number(readFileSync(join(dataDir, 'sandbox/port'), 'utf8'))
  await takePort(port)
  const access = await starter(dataDir).open()
  expect(new URL(access.baseUrl).port).not.toBe(String(port))
  expect(await signIn(access)).toBe(200)
})

test('reports SANDBOX_FAILED and starts at the next attempt', async () => {
  const dataDir = tempFolder()
  await expect(starter(dataDir, { fault: 'no-such-fault' }).open()).rejects.toMatchObject({
    code: 'SANDBOX_FAILED',
    data: { detail: expect.stringContaining('no-such-fault') as string },
  })
  const broken = createSandboxStarter({
    dataDir,
    log: quietLog,
    entry: new URL('file:///nowhere/sandbox-thread.js'),
  })
  await expect(broken.open()).rejects.toMatchObject({ code: 'SANDBOX_FAILED' })
  await broken.stop()
  expect(await signIn(await starter(dataDir).open())).toBe(200)
})
