import { closeSync, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase, type OpenOptions } from '#electron/database/open.ts'
import { fullCheckAfterMs } from '#electron/database/full-check.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

function setUp() {
  const clock = createFakeClock()
  const logged: LogEntry[] = []
  const file = join(tempFolder(), 'console.db')
  const log = createLog((entry) => void logged.push(entry), 'test', clock.now)
  /** Opens as if the file were too large for a full check. */
  const open = (more: Partial<OpenOptions> = {}) => {
    const usual: OpenOptions = { file, schema: 'console', log, now: clock.now, clock }
    const opened = openDatabase({ ...usual, wholeCheckLimitBytes: 0, ...more })
    onTestFinished(opened.close)
    return opened
  }
  const said = async (message: string) => {
    while (!logged.some((entry) => entry.message === message))
      await new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, logged, file, open, said }
}

/** Breaks an index, which reading the last rows does not touch. */
function breakIndex({ file, open }: ReturnType<typeof setUp>): void {
  const { db, close } = open()
  const insert = db.prepare(
    `INSERT INTO connections (id, name, base_url, kind, colour, credential_kind, created_ms)
     VALUES (?, ?, 'https://a.test/v1', 'service', 'teal', 'password', 1)`,
  )
  for (let index = 0; index < 20; index++) insert.run(`c${index}`, `Connection ${index}`)
  const root = db
    .prepare<[], number>(`SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_connections_2'`)
    .pluck()
    .get()!
  close()
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.alloc(4096), 0, 4096, (root - 1) * 4096)
  closeSync(fd)
}

describe('a large database', () => {
  it('is checked in full a minute after opening, damage is reported while in use, and the next start recovers it once', async () => {
    const setup = setUp()
    breakIndex(setup)
    const count = ({ db }: ReturnType<typeof setup.open>, from: string) =>
      db.prepare(`SELECT count(*) FROM ${from}`).pluck().get()
    const found = Promise.withResolvers<string[]>()
    const opened = setup.open({ onDamage: found.resolve })
    expect(opened.setAside).toBeUndefined()
    await setup.clock.advance(fullCheckAfterMs)
    expect(await found.promise).not.toEqual([])
    await setup.said('Damage found in a database in use')
    expect(count(opened, 'connections NOT INDEXED')).toBe(20)
    opened.close()
    const next = setup.open()
    expect(next.setAside?.lost).toEqual({ key: 'salvage.all' })
    expect(count(next, 'connections')).toBe(20)
    next.close()
    expect(setup.open().setAside).toBeUndefined()
    expect(readdirSync(join(setup.file, '..')).filter((name) => name.endsWith('.damaged'))).toEqual([])
  })

  it('is reported intact', async () => {
    const setup = setUp()
    setup.open({ onDamage: () => expect.unreachable() })
    await setup.clock.advance(fullCheckAfterMs)
    await setup.said('Large database checked in full')
  })

  it('is not checked after it was closed, nor again if it was small enough to be checked at opening', () => {
    const { clock, open } = setUp()
    open().close()
    expect(clock.pending()).toBe(0)
    open({ wholeCheckLimitBytes: 1_000_000 })
    expect(clock.pending()).toBe(0)
  })
})
