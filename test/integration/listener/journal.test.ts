import Sqlite from 'better-sqlite3'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fullCheckAfterMs } from '#electron/database/full-check.ts'
import { createLazyJournalReader } from '#electron/core/live/events/journal-reader.ts'
import { openJournalReader } from '#electron/listener/journal-reader.ts'
import { type Delivery, type Journal, openJournal } from '#electron/listener/journal.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { readJournal } from '../../helpers/listener.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

const clock = createFakeClock()
const startMs = clock.now()

const delivery = (text: string, receivedMs = startMs): Delivery => ({
  receivedMs,
  verdict: 'signed',
  secretId: 's',
  remote: '127.0.0.1',
  headersJson: '[]',
  body: Buffer.from(text),
})

const open = (file: string, continueAfterSeq?: number) =>
  openJournal({
    file,
    log: quietLog,
    now: clock.now,
    ...(continueAfterSeq === undefined ? {} : { continueAfterSeq }),
  })

const newFile = () => join(tempFolder(), 'journal.db')

function fill(journal: Journal, count: number): void {
  journal.append(Array.from({ length: count }, (_, index) => delivery(`d${index} ${'x'.repeat(200)}`)))
}

/** The files as a process killed now would leave them. */
function killedCopy(file: string): () => void {
  const names = ['', '-wal', '.witness'].map((suffix) => file + suffix)
  const bytes = names.map((name) => readFileSync(name))
  return () => names.forEach((name, index) => writeFileSync(name, bytes[index]!))
}

function damage(file: string, page: number): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.alloc(4096), 0, 4096, 4096 * page)
  closeSync(fd)
}

const stored = (file: string) => readJournal(file, (reader) => reader.readAfter(0, 100_000))
const spansOf = (file: string) => readJournal(file, (reader) => reader.spans(0))

/** A run of the journal: opens it, works and closes it. */
function run<T>(file: string, work: (journal: Journal) => T, continueAfterSeq?: number): T {
  const journal = open(file, continueAfterSeq)
  try {
    return work(journal)
  } finally {
    journal.close()
  }
}

/** As `run`, but the process is killed instead of closing it. */
function runKilled(file: string, work: (journal: Journal) => void): void {
  const restore = run(file, (journal) => {
    work(journal)
    return killedCopy(file)
  })
  restore()
}

describe('the journal', () => {
  it('numbers deliveries without gaps over restarts and returns them in order', () => {
    const file = newFile()
    expect(run(file, (first) => first.append([delivery('a'), delivery('b')]))).toBe(2)
    run(file, (second) => {
      expect([second.lastSeq(), second.loss]).toEqual([2, undefined])
      expect(second.append([delivery('c')])).toBe(3)
      readJournal(file, (reader) => {
        expect(reader.readAfter(0, 2).map((row) => [row.seq, row.body.toString()])).toEqual([
          [1, 'a'],
          [2, 'b'],
        ])
        expect(reader.readAfter(2, 100)).toEqual([{ ...delivery('c'), seq: 3 }])
        expect([reader.read(2)?.body.toString(), reader.read(9), reader.lastSeq()]).toEqual(['b', null, 3])
      })
    })
  })

  it('reads as empty until the listener has created it', () => {
    const file = newFile()
    const reader = createLazyJournalReader(file)
    const read = () => [reader.spans(0).length, reader.relays(), reader.lastSeq()]
    expect(read()).toEqual([0, { periods: [], losses: [] }, 0])
    writeFileSync(file, '')
    expect(read()).toEqual([0, { periods: [], losses: [] }, 0])
    const journal = open(file)
    journal.append([delivery('a')])
    expect(reader.lastSeq()).toBe(1)
    reader.close()
    journal.close()
  })

  it.each([1, 15, 16, 17, 33, 100])('stores a batch of %i completely and in order', (count) => {
    const file = newFile()
    const batch = Array.from({ length: count }, (_, index) => delivery(`d${index}`))
    expect(run(file, (journal) => journal.append(batch))).toBe(count)
    expect(stored(file)).toEqual(batch.map((one, index) => ({ ...one, seq: index + 1 })))
  })

  it('commits all of a batch or none', () => {
    const file = newFile()
    const journal = open(file)
    const bad = { ...delivery('b'), headersJson: null as unknown as string }
    expect(() => journal.append([delivery('a'), bad])).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED' }),
    )
    expect(journal.append([delivery('c')])).toBe(1)
    journal.close()
  })

  it('continues above the projector’s number, even in a new file', () => {
    expect(run(newFile(), (journal) => journal.append([delivery('a')]), 500)).toBe(501)
  })

  it('notices a deleted log, reports its numbers and does not reuse them', () => {
    const file = newFile()
    runKilled(file, (journal) => fill(journal, 10))
    rmSync(`${file}-wal`)
    run(file, (again) => {
      expect(again.loss).toEqual({
        asideFile: null,
        lost: { key: 'salvage.lastDeliveries', n: 10, from: '1', to: '10' },
      })
      expect(again.append([delivery('new')])).toBe(11)
    })
  })

  it('notices an older copy of the database', () => {
    const file = newFile()
    run(file, (first) => fill(first, 3))
    const old = readFileSync(file)
    run(file, (second) => fill(second, 2))
    writeFileSync(file, old)
    expect(run(file, ({ loss }) => loss?.lost)).toEqual({
      key: 'salvage.lastDeliveries',
      n: 2,
      from: '4',
      to: '5',
    })
  })

  it('notices a deleted file', () => {
    const file = newFile()
    run(file, (first) => fill(first, 3))
    rmSync(file)
    run(file, (second) => {
      expect(second.loss).toEqual({ asideFile: null, lost: { key: 'salvage.deliveries', kept: 0, lost: 3 } })
      expect(second.append([delivery('new')])).toBe(4)
    })
  })

  it('loses only a damaged page’s deliveries and reports exactly those', () => {
    const file = newFile()
    run(file, (first) => fill(first, 1_000))
    damage(file, 20)
    run(file, (second) => {
      const kept = stored(file).length
      expect(kept).toBeGreaterThan(950)
      expect(second.loss?.lost).toEqual({ key: 'salvage.deliveries', kept, lost: 1_000 - kept })
      expect(second.append([delivery('new')])).toBe(1_001)
    })
  })
})

describe('a second loss', () => {
  it('is reported without the first', () => {
    const file = newFile()
    run(file, (first) => fill(first, 1_000))
    damage(file, 20)
    run(file, (second) => fill(second, 500))
    const before = stored(file).length
    damage(file, 40)
    const lost = run(file, ({ loss }) => loss?.lost)
    const kept = stored(file).length
    expect(kept).toBeLessThan(before)
    expect(lost).toEqual({ key: 'salvage.deliveries', kept, lost: before - kept })
  })

  it('does not count numbers that this file never held', () => {
    const file = newFile()
    run(file, (first) => fill(first, 400), 5_000)
    damage(file, 10)
    const lost = run(file, ({ loss }) => loss?.lost)
    const kept = stored(file).length
    expect(lost).toEqual({ key: 'salvage.deliveries', kept, lost: 400 - kept })
  })

  it('at the end of the file is reported once, and its numbers stay used', () => {
    const file = newFile()
    const lossNow = () => run(file, ({ loss }) => loss?.lost)
    runKilled(file, (journal) => fill(journal, 10))
    rmSync(`${file}-wal`)
    expect(lossNow()).toMatchObject({ key: 'salvage.lastDeliveries', n: 10 })
    run(file, (third) => {
      expect(third.loss).toBeUndefined()
      expect(third.append([delivery('new')])).toBe(11)
    })
    expect(lossNow()).toBeUndefined()
    rmSync(file)
    expect(lossNow()).toEqual({ key: 'salvage.deliveries', kept: 0, lost: 1 })
  })
})

describe('the spans of listening', () => {
  it('end at the last heartbeat after a kill, and at the close otherwise', () => {
    const file = newFile()
    runKilled(file, (first) => {
      first.beginSpan(1_000, 8787)
      first.touch(6_000)
    })
    run(file, (second) => {
      second.beginSpan(60_000, 8787)
      second.endSpan(70_000, 'closed')
    })
    const both = { port: 8787, firstDeliveryMs: null }
    expect(spansOf(file)).toEqual([
      { ...both, id: 1, startedMs: 1_000, aliveMs: 6_000, endedMs: 6_000, endReason: 'crashed' },
      { ...both, id: 2, startedMs: 60_000, aliveMs: 60_000, endedMs: 70_000, endReason: 'closed' },
    ])
  })

  it.each([
    ['the last delivery, if that came after the heartbeat', 6_900, 6_900],
    ['the heartbeat, if the last delivery came before', 5_900, 6_000],
    ['the heartbeat, if the last delivery is not of the span', 9_000, 6_000],
  ])('end after a kill at %s', (_, receivedMs, endedMs) => {
    const file = newFile()
    runKilled(file, (first) => {
      first.append([delivery('a', receivedMs)])
      first.beginSpan(1_000, 8787)
      first.touch(6_000)
      if (receivedMs === 6_900) first.append([delivery('b', 6_500), delivery('c', receivedMs)])
    })
    run(file, () => {})
    expect(spansOf(file)).toMatchObject([{ aliveMs: 6_000, endedMs, endReason: 'crashed' }])
  })

  it('take a commit as a heartbeat, at most once a second', () => {
    const file = newFile()
    run(file, (journal) => {
      journal.beginSpan(1_000, 1)
      journal.append([delivery('a', 1_500)])
      expect(journal.aliveMs()).toBe(1_000)
      journal.append([delivery('a', 2_000)])
      expect([journal.aliveMs(), spansOf(file)[0]!.aliveMs]).toEqual([2_000, 2_000])
    })
  })

  it('show a sleep of the machine as a gap', () => {
    const file = newFile()
    run(file, (journal) => {
      journal.beginSpan(1_000, 1)
      journal.touch(6_000)
      journal.touch(3_600_000)
      journal.append([delivery('a', 3_601_500)])
      expect(spansOf(file)).toMatchObject([
        { startedMs: 1_000, endedMs: 6_000, endReason: 'suspended' },
        { startedMs: 3_600_000, aliveMs: 3_601_500, endedMs: null, port: 1 },
      ])
    })
  })

  it('keep the last heartbeat when the clock is set back', () => {
    const file = newFile()
    run(file, (journal) => {
      journal.beginSpan(10_000, 1)
      journal.touch(4_000)
      expect(spansOf(file)[0]).toMatchObject({ startedMs: 10_000, aliveMs: 10_000, endedMs: null })
    })
  })

  it('are read only if they overlap the requested time', () => {
    const file = newFile()
    run(file, (journal) => {
      journal.beginSpan(1_000, 1)
      journal.endSpan(2_000, 'closed')
      journal.beginSpan(3_000, 1)
      const found = readJournal(file, (reader) => reader.spans(2_500))
      expect(found.map((span) => span.startedMs)).toEqual([3_000])
    })
  })
})

describe('a reader', () => {
  it('reports a missing journal', () => {
    expect(() => openJournalReader(newFile())).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^STORAGE_/) }),
    )
  })

  it('does not wait for a commit', () => {
    const file = newFile()
    run(file, (journal) => {
      fill(journal, 5)
      const other = new Sqlite(file)
      other.exec('BEGIN IMMEDIATE; DELETE FROM deliveries')
      expect(stored(file)).toHaveLength(5)
      other.exec('ROLLBACK')
      other.close()
    })
  })

  it('reports damage found by the later full check and keeps storing deliveries', async () => {
    const file = newFile()
    // More rows than the opening check reads from the end.
    run(file, (full) => full.append(Array.from({ length: 25_000 }, (_, index) => delivery(`d${index}`))))
    damage(file, 20)
    const found = Promise.withResolvers<string[]>()
    const damaged = openJournal({
      file,
      log: quietLog,
      now: clock.now,
      clock,
      wholeCheckLimitBytes: 0,
      onDamage: found.resolve,
    })
    expect(damaged.loss).toBeUndefined()
    await clock.advance(fullCheckAfterMs)
    expect(await found.promise).not.toEqual([])
    expect(damaged.append([delivery('after')])).toBe(25_001)
    damaged.close()
  })
})
