import Sqlite from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { dlr, startListener } from '../../helpers/listener.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

describe('a journal that another program has locked', () => {
  it('answers 503 before the service gives up and stores the next attempt', async () => {
    const clock = createFakeClock()
    const { post, rows, journalFile, states, listener } = await startListener({}, clock)
    const other = new Sqlite(journalFile)
    other.exec('BEGIN IMMEDIATE')
    const first = post(dlr('m1'))
    let answeredAfterMs = -1
    void first.then(() => (answeredAfterMs = clock.monotonic()))
    for (let elapsed = 0; elapsed < 6_000; elapsed += 100) {
      await clock.advance(100)
      // The answer travels over a real socket.
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(await first).toEqual({
      status: 503,
      text: '{"error":"The delivery could not be stored. Retry it."}',
    })
    expect(answeredAfterMs).toBeGreaterThan(0)
    expect(answeredAfterMs).toBeLessThan(4_000)
    expect(states).toEqual([expect.objectContaining({ kind: 'not-storing', code: 'STORAGE_BUSY' })])
    other.exec('ROLLBACK')
    other.close()
    expect(await post(dlr('m1'))).toMatchObject({ status: 200 })
    expect(states.at(-1)).toEqual({ kind: 'storing' })
    expect(rows()).toHaveLength(1)
    expect(listener.stats()).toMatchObject({ accepted: 1, notStored: 1 })
  })

  it('answers everything else meanwhile', async () => {
    const clock = createFakeClock()
    const { post, port, journalFile } = await startListener({}, clock)
    const other = new Sqlite(journalFile)
    other.exec('BEGIN IMMEDIATE')
    const waiting = post(dlr('m1'))
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
    expect(await post(dlr('m2'), {})).toMatchObject({ status: 401 })
    other.exec('ROLLBACK')
    other.close()
    await clock.advance(100)
    expect(await waiting).toMatchObject({ status: 200 })
  })

  it('records a gap when deliveries were turned away', async () => {
    const clock = createFakeClock()
    const { post, spans, journalFile, started } = await startListener({}, clock)
    const startedMs = clock.now()
    const other = new Sqlite(journalFile)
    other.exec('BEGIN IMMEDIATE')
    const refused = post(dlr('m1'))
    for (let elapsed = 0; elapsed < 4_000; elapsed += 100) {
      await clock.advance(100)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(await refused).toMatchObject({ status: 503 })
    other.exec('ROLLBACK')
    other.close()
    await post(dlr('m1'))
    expect(spans()).toMatchObject([
      { startedMs, endedMs: startedMs, endReason: 'not-stored' },
      { startedMs: startedMs + 4_000, endedMs: null, port: (started as { port: number }).port },
    ])
  })
})

describe('a full disk', () => {
  const folder = process.getuid?.() === 0 && process.platform === 'linux' ? mountSmall() : null

  function mountSmall(): string | null {
    const path = spawnSync('mktemp', ['-d'], { encoding: 'utf8' }).stdout.trim()
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600k,mode=700', 'tmpfs', path])
    return mounted.status === 0 ? path : null
  }

  if (!folder) console.log('not run: a small disk can only be mounted by root on Linux')

  it.runIf(folder !== null)(
    'answers 503, keeps stored deliveries, and stores again once there is room',
    async () => {
      onTestFinished(() => {
        spawnSync('umount', [folder!])
        rmSync(folder!, { recursive: true, force: true })
      })
      const ballast = join(folder!, 'ballast')
      writeFileSync(ballast, Buffer.alloc(150_000))
      const { post, rows, states, listener } = await startListener({
        journalFile: join(folder!, 'journal', 'journal.db'),
      })
      let stored = 0
      for (;;) {
        const { status } = await post(dlr(`m${stored}`) + ' '.repeat(4_000))
        if (status !== 200) {
          expect(status).toBe(503)
          break
        }
        stored++
      }
      expect(stored).toBeGreaterThan(10)
      expect(states.at(-1)).toMatchObject({ kind: 'not-storing', code: 'DISK_FULL' })
      expect(rows()).toHaveLength(stored)
      rmSync(ballast)
      expect(await post(dlr('after'))).toMatchObject({ status: 200 })
      expect(states.at(-1)).toEqual({ kind: 'storing' })
      expect(rows()).toHaveLength(stored + 1)
      await listener.stop()
    },
  )
})

describe('a journal deleted or replaced while open', () => {
  it('is noticed within 5 s; deliveries then get 503 instead of vanishing', async () => {
    const clock = createFakeClock()
    const { post, journalFile, states } = await startListener({}, clock)
    expect(await post(dlr('m1'))).toMatchObject({ status: 200 })
    rmSync(journalFile)
    await clock.advance(5_000)
    expect(states.at(-1)).toMatchObject({ kind: 'not-storing', code: 'STORAGE_MISSING' })
    expect(await post(dlr('m2'))).toMatchObject({ status: 503 })
  })
})

describe('an unusable journal', () => {
  it.each([
    [
      'STORAGE_FROM_FUTURE',
      (file: string) => {
        const db = new Sqlite(file)
        db.pragma('user_version = 50')
        db.close()
      },
      'journal.db',
    ],
    ['STORAGE_MISSING', () => {}, join('nowhere', 'connection', 'journal.db')],
  ])('%s is the reason not to start', async (code, prepare, name) => {
    const journalFile = join(tempFolder(), name)
    prepare(journalFile)
    const { started } = await startListener({ journalFile })
    expect(started).toMatchObject({ kind: 'refused', code })
  })
})
