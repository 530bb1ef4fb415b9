import Sqlite from 'better-sqlite3'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { changeFile, endless, isWriting } from '../../../../helpers/held-write.ts'
import { startKilledConsole } from '../../../../helpers/killed-console.ts'
import { restartCore, startInSandbox } from '../../../../helpers/test-core.ts'
import { alertSql, expectErased, fill, phone } from './erase-fixture.ts'

/** Where an erasure is held and killed, in its order: a database and what happens to it. */
const places = [
  ['state', 'DELETE ON holds'],
  ['contacts', 'DELETE ON contacts'],
  ['journal', 'UPDATE OF body ON deliveries'],
  ['state', 'DELETE ON events'],
  ['console', 'UPDATE OF alert_json ON alert_posts'],
  ['state', 'UPDATE ON erasures WHEN new.needle_base64 IS NULL'],
  // All files were searched by then. This process must still see the other's lock, or it would delete a log in use.
  ['state', 'UPDATE ON erasures WHEN new.ended_ms IS NOT NULL'],
] as const

test('ends whole after a kill -9 at each of its places', { timeout: 240_000 }, async () => {
  const running = await startInSandbox()
  const { rpc, dataDir } = running
  await fill(rpc)
  await running.stopCore()
  const fileOf = (name: string) =>
    join(dataDir, name === 'console' ? '' : join('connections', 'sandbox'), `${name}.db`)
  changeFile(fileOf('console'), alertSql)
  // No step can clean a damaged file, but the last search finds it.
  const damaged = join(dataDir, 'connections', 'sandbox', 'cache.db.corrupt-test')
  writeFileSync(damaged, `Ada, ${phone}`)
  const unfinished = () => {
    const db = new Sqlite(fileOf('state'), { readonly: true })
    const count = db.prepare('SELECT count(*) FROM erasures WHERE ended_ms IS NULL').pluck().get()
    db.close()
    return count
  }
  for (const [at, [name, change]] of places.entries()) {
    changeFile(fileOf(name), `CREATE TRIGGER held BEFORE ${change} BEGIN SELECT (${endless}); END`)
    const child = startKilledConsole({ dataDir, startWith: { kind: 'sandbox' } })
    if (at === 0) void child.untilKilled(child.rpc.erase.start({ phone, confirm: phone, keepHold: false }))
    // Other steps write for a moment, the held one for good.
    let writing = 0
    const isHeld = () => (writing = isWriting(fileOf(name)) ? writing + 1 : 0) > 5
    await expect.poll(isHeld, { timeout: 60_000, message: change }).toBe(true)
    expect(await child.kill()).toEqual([null, 'SIGKILL'])
    changeFile(fileOf(name), 'DROP TRIGGER held')
    expect(unfinished(), change).toBe(1)
  }
  const again = await restartCore(running)
  await expect
    .poll(async () => (await again.rpc.erase.receipts()).items.map(({ endedAt }) => endedAt === null))
    .toEqual([false])
  expect((await again.rpc.erase.receipts()).items[0]).toMatchObject({
    ending: '01',
    kept: [{ reason: 'file-left', count: 1 }],
  })
  rmSync(damaged)
  await expectErased(again)
})
