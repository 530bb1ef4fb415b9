import Sqlite from 'better-sqlite3'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { dlr, startListener } from '../../helpers/listener.ts'
import { canMount, moveToSmallDisk } from '../../helpers/small-disk.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

/** Locks a journal as another program would, until the lock is released. */
function lock(journalFile: string): () => void {
  const other = new Sqlite(journalFile)
  other.exec('BEGIN IMMEDIATE')
  return () => {
    other.exec('ROLLBACK')
    other.close()
  }
}

it('stores each event of a signed list or gzip, and acknowledges them together', async () => {
  const { post, rows, listener } = await startListener()
  expect(await post(`[${dlr('m1')},${dlr('m2')}]`)).toMatchObject({ status: 200 })
  expect(await post(Buffer.from(gzipSync(`${dlr('m3')}\n${dlr('m4')}`)))).toMatchObject({ status: 200 })
  expect(rows().map(({ seq, body }) => [seq, String(body)])).toEqual([
    [1, `[${dlr('m1')}]`],
    [2, `[${dlr('m2')}]`],
    [3, dlr('m3')],
    [4, dlr('m4')],
  ])
  expect(listener.stats()).toMatchObject({ accepted: 2, refusedTotal: 0 })
})

describe('a journal that another program has locked', () => {
  it('answers 503 before the service gives up, stores the next attempt, and records a gap', async () => {
    const clock = createFakeClock()
    const { post, rows, journalFile, states, listener, spans, port } = await startListener({}, clock)
    const startedMs = clock.now()
    const release = lock(journalFile)
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
    release()
    expect(await post(dlr('m1'))).toMatchObject({ status: 200 })
    expect(states.at(-1)).toEqual({ kind: 'storing' })
    expect(rows()).toHaveLength(1)
    expect(listener.stats()).toMatchObject({ accepted: 1, notStored: 1 })
    expect(spans()).toMatchObject([
      { startedMs, endedMs: startedMs, endReason: 'not-stored' },
      { startedMs: startedMs + 6_000, endedMs: null, port },
    ])
  })

  it('answers everything else meanwhile', async () => {
    const clock = createFakeClock()
    const { post, port, journalFile } = await startListener({}, clock)
    const release = lock(journalFile)
    const waiting = post(dlr('m1'))
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
    expect(await post(dlr('m2'), {})).toMatchObject({ status: 401 })
    release()
    await clock.advance(100)
    expect(await waiting).toMatchObject({ status: 200 })
  })
})

it.runIf(canMount)('answers 503 on a full disk, and stores again once there is room', async () => {
  const folder = tempFolder()
  expect(moveToSmallDisk(folder, '600k')).toBe(true)
  const ballast = join(folder, 'ballast')
  writeFileSync(ballast, Buffer.alloc(150_000))
  const journalFile = join(folder, 'journal', 'journal.db')
  const { post, rows, states, listener } = await startListener({ journalFile })
  let stored = 0
  const next = () => post(`${dlr(`m${stored}`)}${' '.repeat(4_000)}`)
  let answer = await next()
  for (; answer.status === 200; answer = await next()) stored++
  expect(answer.status).toBe(503)
  expect(stored).toBeGreaterThan(10)
  expect(states.at(-1)).toMatchObject({ kind: 'not-storing', code: 'DISK_FULL' })
  expect(rows()).toHaveLength(stored)
  rmSync(ballast)
  expect(await post(dlr('after'))).toMatchObject({ status: 200 })
  expect(states.at(-1)).toEqual({ kind: 'storing' })
  expect(rows()).toHaveLength(stored + 1)
  await listener.stop()
})

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
])('an unusable journal is the reason not to start: %s', async (code, prepare, name) => {
  const journalFile = join(tempFolder(), name)
  prepare(journalFile)
  const { started } = await startListener({ journalFile })
  expect(started).toMatchObject({ kind: 'refused', code })
})
