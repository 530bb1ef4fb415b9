import { closeSync, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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
  const open = (more: Partial<OpenOptions> = {}) =>
    openDatabase({ file, schema: 'console', log, now: clock.now, clock, wholeCheckLimitBytes: 0, ...more })
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
  it('is checked in full a minute after opening, and damage is reported while in use', async () => {
    const setup = setUp()
    breakIndex(setup)
    const found = Promise.withResolvers<string[]>()
    const opened = setup.open({ onDamage: found.resolve })
    expect(opened.setAside).toBeUndefined()
    await setup.clock.advance(fullCheckAfterMs)
    expect(await found.promise).not.toEqual([])
    expect(setup.logged).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'Damage found in a database in use' }),
    )
    expect(opened.db.prepare('SELECT count(*) FROM connections NOT INDEXED').pluck().get()).toBe(20)
    opened.close()
  })

  it('is set aside and recovered by the next start, once, after damage was found', async () => {
    const setup = setUp()
    breakIndex(setup)
    const opened = setup.open()
    await setup.clock.advance(fullCheckAfterMs)
    await setup.said('Damage found in a database in use')
    opened.close()
    const next = setup.open()
    expect(next.setAside?.lost).toEqual({ key: 'salvage.all' })
    expect(next.db.prepare('SELECT count(*) FROM connections').pluck().get()).toBe(20)
    next.close()
    const last = setup.open()
    expect(last.setAside).toBeUndefined()
    last.close()
    expect(readdirSync(join(setup.file, '..')).filter((name) => name.endsWith('.damaged'))).toEqual([])
  })

  it('is reported intact', async () => {
    const setup = setUp()
    const opened = setup.open({ onDamage: () => expect.unreachable() })
    await setup.clock.advance(fullCheckAfterMs)
    await setup.said('Large database checked in full')
    opened.close()
  })

  it('is not checked after it was closed', () => {
    const { clock, open } = setUp()
    open().close()
    expect(clock.pending()).toBe(0)
  })
})

describe('a small database', () => {
  it('is checked in full once, at opening', () => {
    const { clock, open } = setUp()
    const opened = open({ wholeCheckLimitBytes: 1_000_000 })
    expect(clock.pending()).toBe(0)
    opened.close()
  })
})
