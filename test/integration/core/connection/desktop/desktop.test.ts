import type { ErrorView } from '#contract/define.ts'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DesktopRequest } from '#contract/connection/desktop.ts'
import { type RunningCore, startCore } from '../../../../helpers/start-core.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

let running: RunningCore
beforeAll(async () => void (running = await startCore({})))
afterAll(() => running.stop())

/** The pending requests. A stream starts with them. */
async function waiting(): Promise<DesktopRequest[]> {
  for await (const { requests } of await running.rpc.desktop.requests()) return requests
  throw new Error('The stream ended')
}

/** Takes the next refusal. */
async function refusal(): Promise<ErrorView> {
  const [request, ...others] = await waiting()
  expect(others).toEqual([])
  if (request?.kind !== 'refused') throw new Error(`${request?.kind} waits`)
  await running.rpc.desktop.done({ id: request.id })
  return request.error
}

test('keeps a link until its page opens, and only the newest link', async () => {
  await running.core.ask({ kind: 'page', path: '/settings' })
  await running.core.ask({ kind: 'link', link: 'switchboard://events?text=abc' })
  const [request, ...others] = await waiting()
  expect(request).toMatchObject({ kind: 'page', path: '/events?text=abc' })
  expect(others).toEqual([])
  await running.rpc.desktop.done({ id: request!.id })
  expect(await waiting()).toEqual([])
})

test('refuses a link that is not allowed', async () => {
  await running.core.ask({ kind: 'link', link: 'switchboard://events?action=export' })
  expect(await refusal()).toMatchObject({ code: 'LINK_IGNORED' })
})

test('refuses an opened file that is not a list, by name', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'photo.png'), 'x')
  mkdirSync(join(folder, 'folder.csv'))
  for (const name of ['photo.png', 'folder.csv', 'missing.csv']) {
    await running.core.ask({ kind: 'file', path: join(folder, name) })
    const { code, data } = await refusal()
    expect(code).toBe('OPENED_FILE_IGNORED')
    expect(data).toMatchObject({ name })
  }
})

test('passes an opened file to the import once connected', async () => {
  const folder = tempFolder()
  const path = join(folder, 'Messe Köln.csv')
  writeFileSync(path, 'name,phone\nAda,+442079460000\n', { mode: 0o644 })
  await running.core.ask({ kind: 'file', path })
  const [request] = await waiting()
  expect(request).toMatchObject({ kind: 'import', fileName: 'Messe Köln.csv' })
  expect(JSON.stringify(request)).not.toContain(folder)
  await expect(running.rpc.desktop.takeFile({ id: request!.id })).rejects.toMatchObject({
    code: 'NO_CONNECTION',
  })

  const { connection } = await running.rpc.connections.openSandbox()
  const { fileId, fileName } = await running.rpc.desktop.takeFile({ id: request!.id })
  expect(fileName).toBe('Messe Köln.csv')
  const kept = join(running.dataDir, 'connections', connection.id, 'files', fileId)
  expect(readFileSync(kept, 'utf8')).toContain('Ada')
  expect(statSync(kept).mode & 0o077).toBe(0)
  const { header } = await running.rpc.imports.inspect({ fileId })
  expect(header).toEqual(['name', 'phone'])
  await expect(running.rpc.desktop.takeFile({ id: request!.id })).rejects.toMatchObject({ code: 'FILE_GONE' })
})

test('reports an opened file that was removed as unreadable', async () => {
  const path = join(tempFolder(), 'gone.csv')
  writeFileSync(path, 'phone\n+442079460000\n')
  await running.core.ask({ kind: 'file', path })
  const [request] = await waiting()
  rmSync(path)
  await expect(running.rpc.desktop.takeFile({ id: request!.id })).rejects.toMatchObject({
    code: 'OPENED_FILE_UNREADABLE',
  })
})

test('updates the desktop when the theme, tray setting or outbox changes', async () => {
  const stopping = new AbortController()
  const stream = await running.rpc.desktop.state(undefined, { signal: stopping.signal })
  const states = stream[Symbol.asyncIterator]()
  const next = async () => (await states.next()).value
  expect(await next()).toEqual({
    theme: 'system',
    language: 'en',
    closeToTray: false,
    sending: 'on',
    troubled: [],
    work: { tasks: 0, requests: 0 },
  })
  await running.rpc.settings.setAppearance({ theme: 'dark', density: 'compact' })
  expect(await next()).toMatchObject({ theme: 'dark' })
  await running.rpc.settings.setAppearance({ theme: 'dark', density: 'compact', language: 'es' })
  expect(await next()).toMatchObject({ language: 'es' })
  await running.rpc.desktop.setSettings({ closeToTray: true })
  expect(await next()).toMatchObject({ closeToTray: true })
  expect(await running.rpc.desktop.getSettings()).toEqual({ closeToTray: true })
  await running.rpc.outbox.pause()
  expect(await next()).toMatchObject({ sending: 'paused' })
  stopping.abort()
})
