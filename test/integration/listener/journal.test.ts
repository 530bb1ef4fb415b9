import Sqlite from 'better-sqlite3'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fullCheckAfterMs } from '#electron/database/full-check.ts'
import { createLazyJournalReader } from '#electron/core/live/events/journal-reader.ts'
import { openJournalReader } from '#electron/listener/journal-reader.ts'
import { type Delivery, type Journal, openJournal } from '#electron/listener/journal.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
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

describe('the journal', () => {
  it('numbers deliveries without gaps over restarts and returns them in order', () => {
    const file = newFile()
    const first = open(file)
    expect(first.append([delivery('a'), delivery('b')])).toBe(2)
    first.close()
    const second = open(file)
    expect(second.lastSeq()).toBe(2)
    expect(second.loss).toBeUndefined()
    expect(second.append([delivery('c')])).toBe(3)
    const reader = openJournalReader(file)
    expect(reader.readAfter(0, 2).map((row) => [row.seq, row.body.toString()])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ])
    expect(reader.readAfter(2, 100)).toEqual([{ ...delivery('c'), seq: 3 }])
    expect(reader.read(2)?.body.toString()).toBe('b')
    expect(reader.read(9)).toBeNull()
    expect(reader.lastSeq()).toBe(3)
    reader.close()
    second.close()
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
    const journal = open(file)
    expect(journal.append(Array.from({ length: count }, (_, index) => delivery(`d${index}`)))).toBe(count)
    const reader = openJournalReader(file)
    expect(reader.readAfter(0, 200)).toEqual(
      Array.from({ length: count }, (_, index) => ({ ...delivery(`d${index}`), seq: index + 1 })),
    )
    reader.close()
    journal.close()
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
    const file = newFile()
    const journal = open(file, 500)
    expect(journal.append([delivery('a')])).toBe(501)
    journal.close()
  })

  it('notices a deleted log, reports its numbers and does not reuse them', () => {
    const file = newFile()
    const journal = open(file)
    fill(journal, 10)
    const restore = killedCopy(file)
    journal.close()
    restore()
    rmSync(`${file}-wal`)
    const again = open(file)
    expect(again.loss).toEqual({
      asideFile: null,
      lost: { key: 'salvage.lastDeliveries', n: 10, from: '1', to: '10' },
    })
    expect(again.append([delivery('new')])).toBe(11)
    again.close()
  })

  it('notices an older copy of the database', () => {
    const file = newFile()
    const first = open(file)
    fill(first, 3)
    first.close()
    const old = readFileSync(file)
    const second = open(file)
    fill(second, 2)
    second.close()
    writeFileSync(file, old)
    const third = open(file)
    expect(third.loss?.lost).toEqual({ key: 'salvage.lastDeliveries', n: 2, from: '4', to: '5' })
    third.close()
  })

  it('notices a deleted file', () => {
    const file = newFile()
    const first = open(file)
    fill(first, 3)
    first.close()
    rmSync(file)
    const second = open(file)
    expect(second.loss).toEqual({ asideFile: null, lost: { key: 'salvage.deliveries', kept: 0, lost: 3 } })
    expect(second.append([delivery('new')])).toBe(4)
    second.close()
  })

  it('loses only a damaged page’s deliveries and reports exactly those', () => {
    const file = newFile()
    const first = open(file)
    fill(first, 1_000)
    first.close()
    const fd = openSync(file, 'r+')
    writeSync(fd, Buffer.alloc(4096), 0, 4096, 4096 * 20)
    closeSync(fd)
    const second = open(file)
    const reader = openJournalReader(file)
    const kept = reader.readAfter(0, 2_000).length
    expect(kept).toBeGreaterThan(950)
    expect(second.loss?.lost).toEqual({ key: 'salvage.deliveries', kept, lost: 1_000 - kept })
    expect(second.append([delivery('new')])).toBe(1_001)
    reader.close()
    second.close()
  })
})

describe('a second loss', () => {
  const damage = (file: string, page: number) => {
    const fd = openSync(file, 'r+')
    writeSync(fd, Buffer.alloc(4096), 0, 4096, 4096 * page)
    closeSync(fd)
  }
  const kept = (file: string) => {
    const reader = openJournalReader(file)
    const count = reader.readAfter(0, 10_000).length
    reader.close()
    return count
  }

  it('is reported without the first', () => {
    const file = newFile()
    const first = open(file)
    fill(first, 1_000)
    first.close()
    damage(file, 20)
    const second = open(file)
    fill(second, 500)
    second.close()
    const before = kept(file)
    damage(file, 40)
    const third = open(file)
    const after = kept(file)
    expect(after).toBeLessThan(before)
    expect(third.loss?.lost).toEqual({ key: 'salvage.deliveries', kept: after, lost: before - after })
    third.close()
  })

  it('does not count numbers that this file never held', () => {
    const file = newFile()
    const first = open(file, 5_000)
    fill(first, 400)
    first.close()
    damage(file, 10)
    const second = open(file)
    expect(second.loss?.lost).toEqual({
      key: 'salvage.deliveries',
      kept: kept(file),
      lost: 400 - kept(file),
    })
    second.close()
  })

  it('at the end of the file is reported once, and its numbers stay used', () => {
    const file = newFile()
    const journal = open(file)
    fill(journal, 10)
    const restore = killedCopy(file)
    journal.close()
    restore()
    rmSync(`${file}-wal`)
    const second = open(file)
    expect(second.loss?.lost).toMatchObject({ key: 'salvage.lastDeliveries', n: 10 })
    second.close()
    const third = open(file)
    expect(third.loss).toBeUndefined()
    expect(third.append([delivery('new')])).toBe(11)
    third.close()
    const fourth = open(file)
    expect(fourth.loss).toBeUndefined()
    fourth.close()
    rmSync(file)
    const fifth = open(file)
    expect(fifth.loss?.lost).toEqual({ key: 'salvage.deliveries', kept: 0, lost: 1 })
    fifth.close()
  })
})

describe('the spans of listening', () => {
  const spansOf = (file: string) => {
    const reader = openJournalReader(file)
    try {
      return reader.spans(0)
    } finally {
      reader.close()
    }
  }

  it('end at the last heartbeat after a kill, and at the close otherwise', () => {
    const file = newFile()
    const first = open(file)
    first.beginSpan(1_000, 8787)
    first.touch(6_000)
    const restore = killedCopy(file)
    first.close()
    restore()
    const second = open(file)
    second.beginSpan(60_000, 8787)
    second.endSpan(70_000, 'closed')
    expect(spansOf(file)).toEqual([
      {
        id: 1,
        startedMs: 1_000,
        aliveMs: 6_000,
        endedMs: 6_000,
        endReason: 'crashed',
        port: 8787,
        firstDeliveryMs: null,
      },
      {
        id: 2,
        startedMs: 60_000,
        aliveMs: 60_000,
        endedMs: 70_000,
        endReason: 'closed',
        port: 8787,
        firstDeliveryMs: null,
      },
    ])
    second.close()
  })

  it.each([
    ['the last delivery, if that came after the heartbeat', 6_900, 6_900],
    ['the heartbeat, if the last delivery came before', 5_900, 6_000],
    ['the heartbeat, if the last delivery is not of the span', 9_000, 6_000],
  ])('end after a kill at %s', (_, receivedMs, endedMs) => {
    const file = newFile()
    const first = open(file)
    first.append([delivery('a', receivedMs)])
    first.beginSpan(1_000, 8787)
    first.touch(6_000)
    if (receivedMs === 6_900) first.append([delivery('b', 6_500), delivery('c', receivedMs)])
    const restore = killedCopy(file)
    first.close()
    restore()
    open(file).close()
    expect(spansOf(file)).toMatchObject([{ aliveMs: 6_000, endedMs, endReason: 'crashed' }])
  })

  it('take a commit as a heartbeat, at most once a second', () => {
    const file = newFile()
    const journal = open(file)
    journal.beginSpan(1_000, 1)
    journal.append([delivery('a', 1_500)])
    expect(journal.aliveMs()).toBe(1_000)
    journal.append([delivery('a', 2_000)])
    expect(journal.aliveMs()).toBe(2_000)
    expect(spansOf(file)[0]!.aliveMs).toBe(2_000)
    journal.close()
  })

  it('show a sleep of the machine as a gap', () => {
    const file = newFile()
    const journal = open(file)
    journal.beginSpan(1_000, 1)
    journal.touch(6_000)
    journal.touch(3_600_000)
    journal.append([delivery('a', 3_601_500)])
    expect(spansOf(file)).toMatchObject([
      { startedMs: 1_000, endedMs: 6_000, endReason: 'suspended' },
      { startedMs: 3_600_000, aliveMs: 3_601_500, endedMs: null, port: 1 },
    ])
    journal.close()
  })

  it('keep the last heartbeat when the clock is set back', () => {
    const file = newFile()
    const journal = open(file)
    journal.beginSpan(10_000, 1)
    journal.touch(4_000)
    expect(spansOf(file)[0]).toMatchObject({ startedMs: 10_000, aliveMs: 10_000, endedMs: null })
    journal.close()
  })

  it('are read only if they overlap the requested time', () => {
    const file = newFile()
    const journal = open(file)
    journal.beginSpan(1_000, 1)
    journal.endSpan(2_000, 'closed')
    journal.beginSpan(3_000, 1)
    const reader = openJournalReader(file)
    expect(reader.spans(2_500).map((span) => span.startedMs)).toEqual([3_000])
    reader.close()
    journal.close()
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
    const journal = open(file)
    fill(journal, 5)
    const other = new Sqlite(file)
    other.exec('BEGIN IMMEDIATE; DELETE FROM deliveries')
    const reader = openJournalReader(file)
    expect(reader.readAfter(0, 10)).toHaveLength(5)
    reader.close()
    other.exec('ROLLBACK')
    other.close()
    journal.close()
  })

  it('reports damage found by the later full check and keeps storing deliveries', async () => {
    const file = newFile()
    const full = open(file)
    // More rows than the opening check reads from the end.
    full.append(Array.from({ length: 25_000 }, (_, index) => delivery(`d${index}`)))
    full.close()
    const fd = openSync(file, 'r+')
    writeSync(fd, Buffer.alloc(4096), 0, 4096, 20 * 4096)
    closeSync(fd)
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
