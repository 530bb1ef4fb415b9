import Sqlite from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundledProgram } from '../../../../helpers/bundled-program.ts'
import { startCore } from '../../../../helpers/start-core.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { statusWhere } from '../../../../helpers/wait-for.ts'
import { type OutboxUnderTest, startOutbox } from '../../people/outbox/outbox-fixture.ts'
import { backUp, restore, signInTo, signingSecret, startFilled } from './backup-fixture.ts'

const folderOf = (under: OutboxUnderTest, id: string) => join(under.running.dataDir, 'connections', id)
const foldersOf = (dataDir: string) => readdirSync(join(dataDir, 'connections'))

function rowsOf(file: string): Record<string, unknown[]> {
  const db = new Sqlite(file, { readonly: true })
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all() as string[]
  const rows = (name: string) => db.prepare<[], { kind?: string }>(`SELECT * FROM "${name}"`).all()
  const all = tables.map((name) => [name, rows(name).filter(({ kind }) => kind !== 'backup')])
  db.close()
  return Object.fromEntries(all) as Record<string, unknown[]>
}

test('restores every row, no secret, and sends nothing until resumed', async () => {
  const under = await startFilled()
  const { rpc, service, connectionId, running } = under
  const backup = await backUp(rpc)
  const content = gunzipSync(backup).toString('latin1')
  expect(content).toContain('switchboard-backup')
  const planted = [signingSecret, ...running.secrets.values.values()]
  expect(planted.length).toBeGreaterThan(2)
  for (const value of planted) expect(content.includes(value), value).toBe(false)

  const restored = await restore(rpc, backup)
  expect(restored).toMatchObject({
    name: 'Test 2',
    baseUrl: service.baseUrl,
    username: 'ana',
    lastUsedAt: null,
  })
  for (const name of ['state', 'contacts', 'cache', 'journal']) {
    const [before, after] = [connectionId, restored.id].map((id) =>
      rowsOf(join(folderOf(under, id), `${name}.db`)),
    )
    // Written by the original while the backup runs.
    for (const rows of [before!, after!])
      for (const table of ['spans', 'campaign_reading', 'answers']) Reflect.deleteProperty(rows, table)
    // A restored outbox has not run yet, so what had started asks.
    if (name === 'state') before!['outbox_control'] = [{ id: 1, paused: 1, ran_ms: null }]
    expect(after, name).toEqual(before)
  }

  await rpc.connections.open({ id: restored.id })
  expect((await rpc.contacts.summary()).total).toBe(3)
  // The service still delivers to the original.
  for await (const { listener } of await rpc.status.watch()) {
    expect(listener.state).toBe('stopped')
    break
  }
  await rpc.connections.connect(signInTo(restored))
  expect(await under.until(() => true)).toMatchObject({ state: 'paused', counts: { queued: 3 } })
  await statusWhere(rpc, ({ notices }) => notices.some(({ error }) => error.code === 'RESTORED_PAUSED'))
  const { config, secrets } = await rpc.listener.get()
  expect(secrets).toEqual([])
  expect(config.address).toBe('127.0.0.1')
  expect(service.requests).toEqual([])
  await rpc.outbox.resume()
  await under.until(({ counts }) => counts.done === 3)
  expect(service.requests).toHaveLength(3)
})

test('marks requests in flight as unconfirmed and pauses queued ones in the copy', async () => {
  const under = await startOutbox({ credential: 'password' })
  const { rpc, service } = under
  service.fate = () => 'hang'
  await under.push(await under.add(20))
  const { counts } = await under.until(({ counts: now }) => now['in-flight'] > 0 && now.queued > 0)
  const restored = await restore(rpc, await backUp(rpc))
  const sent = service.requests.length
  service.fate = () => 'done'
  await rpc.connections.connect(signInTo(restored))
  expect(await under.until(() => true)).toMatchObject({
    state: 'paused',
    counts: { 'in-flight': 0, unknown: counts['in-flight'], queued: counts.queued, done: 0 },
  })
  expect(service.requests).toHaveLength(sent)
})

test('only notifies in the copy where the original pauses campaigns', async () => {
  const { rpc } = await startFilled()
  const rules = { failedShare: { percent: 5, minSent: 100 }, stalled: null, errorShare: null }
  await rpc.campaigns.setAlertRule({ campaignId: null, mode: 'armed', rules })
  await rpc.campaigns.setAlertRule({ campaignId: 'c1', mode: 'off', rules })
  const restored = await restore(rpc, await backUp(rpc))
  await rpc.connections.open({ id: restored.id })
  const { alertRules } = await rpc.campaigns.alertRules()
  expect(alertRules).toMatchObject([
    { campaignId: null, mode: 'notify' },
    { campaignId: 'c1', mode: 'off' },
  ])
})

test('leaves nothing behind when a restore is killed', async () => {
  const under = await startFilled()
  const folder = tempFolder()
  const file = join(folder, 'backup')
  writeFileSync(file, await backUp(under.rpc))
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const program = bundledProgram('backup-process')
  const killed = spawnSync(process.execPath, [program, dataDir, file], { timeout: 100_000 })
  expect(killed.signal, killed.stderr.toString()).toBe('SIGKILL')
  expect(foldersOf(dataDir)).toEqual([expect.stringMatching(/^\.restoring-/)])
  // A moment later: the folder is renamed but the connection is not saved.
  const whole = join(dataDir, 'connections', '5a3a3f0e-0000-4000-8000-000000000000')
  mkdirSync(whole)
  copyFileSync(join(folderOf(under, under.connectionId), 'state.db'), join(whole, 'state.db'))
  writeFileSync(join(whole, 'restoring'), '')
  const next = await startCore({ dataDir })
  expect((await next.rpc.connections.list()).connections).toEqual([])
  expect(foldersOf(dataDir)).toEqual([])
  expect(existsSync(whole)).toBe(false)
  await next.stop()
})
