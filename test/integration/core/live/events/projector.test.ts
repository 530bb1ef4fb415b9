import Sqlite from 'better-sqlite3'
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { keyOf } from '#electron/core/live/events/event-key.ts'
import { parseDelivery } from '#electron/core/live/events/parse-delivery.ts'
import { dlr, dumpOf, type EventsFixture, mo, openEventsFixture, searchAll } from './events-fixture.ts'

let fixture: EventsFixture
beforeEach(() => void (fixture = openEventsFixture()))

const reports = (count: number, status: string) =>
  Array.from({ length: count }, (_item, index) => dlr(`m-${index}`, status))

/** Waits for a failure of the projector. */
async function failed(): Promise<void> {
  while (!fixture.logged.some(({ level }) => level === 'error'))
    await new Promise((resolve) => setImmediate(resolve))
}

describe('duplicates and disorder', () => {
  it('tells events of one message apart by kind, status, sender and text', async () => {
    const other = { source: '+15550003333' }
    await fixture.deliver([
      dlr('m', 'submitted'),
      mo('m', 'hello'),
      mo('m', 'hello'),
      mo('m', 'STOP'),
      mo('m', 'hello', other),
      dlr('y', 'submitted'),
    ])
    await fixture.deliver([mo('m', 'STOP')])
    const rows = await searchAll(fixture)
    expect(
      rows.map(({ messageId, content, number, copies }) => [messageId, content, number, copies]),
    ).toEqual([
      ['y', null, '+15550001111', 1],
      ['m', 'hello', '+15550003333', 1],
      ['m', 'STOP', '+15550002222', 2],
      ['m', 'hello', '+15550002222', 2],
      ['m', null, '+15550001111', 1],
    ])
    expect(rows.map(({ optOut }) => optOut)).toEqual([false, false, true, false, false])
  })

  /**
   * Five statuses in two copies each have 113,400 orders. The state must depend only on how often each status came, so it is enough to
   * check every next delivery from every such count. The second is unknown to the spec.
   */
  it('reaches the same state, with one furthest status, for every order of five statuses and two copies of each', async () => {
    const statuses = ['submitted', 'buffered', 'expired', 'failed', 'delivered']
    const counts = Array.from({ length: 3 ** 5 }, (_item, n) =>
      statuses.map((_status, at) => Math.floor(n / 3 ** at) % 3),
    )
    const inOrder = (count: readonly number[]) =>
      statuses.flatMap((status, at) => Array<string>(count[at]!).fill(status))
    const ways = counts.flatMap((count) =>
      statuses.flatMap((last, at) =>
        count[at] === 0
          ? []
          : [{ count, order: [...inOrder(count.map((times, of) => (of === at ? times - 1 : times))), last] }],
      ),
    )
    expect(ways).toHaveLength(5 * 2 * 3 ** 4)
    await fixture.deliver(ways.flatMap(({ order }, way) => order.map((status) => dlr(`m-${way}`, status))))
    const events = Map.groupBy(await searchAll(fixture), ({ messageId }) => messageId)
    for (const [way, { count, order }] of ways.entries()) {
      const copies = events.get(`m-${way}`)!.map((row) => [row.status, row.copies])
      const expected = statuses.flatMap((status, at) => (count[at] ? [[status, count[at]]] : []))
      expect(Object.fromEntries(copies), order.join()).toEqual(Object.fromEntries(expected))
      expect(copies).toHaveLength(expected.length)
      expect(fixture.service.messageStatus(`m-${way}`), order.join()).toBe(expected.at(-1)![0])
    }
  })

  it('keeps events with equal hashes apart', async () => {
    await fixture.deliver([dlr('a', 'submitted'), 'odd a'])
    const collide = fixture.state().prepare('UPDATE events SET message_hash = ?, key_hash = ? WHERE seq = ?')
    const other = keyOf(parseDelivery(Buffer.from(JSON.stringify(dlr('b', 'submitted')))), Buffer.from(''))
    collide.run(other.messageHash, other.keyHash, 1)
    const oddB = Buffer.from('odd b')
    const otherOdd = keyOf(parseDelivery(oddB), oddB)
    collide.run(otherOdd.messageHash, otherOdd.keyHash, 2)
    await fixture.deliver([dlr('b', 'submitted'), 'odd b'])
    expect((await searchAll(fixture)).map((row) => row.copies)).toEqual([1, 1, 1, 1])
    expect(fixture.service.get({ seq: 3 }).timeline.map((row) => row.messageId)).toEqual(['b'])
  })

  it('stores nothing when old deliveries are replayed after a restart', async () => {
    const bodies = [...reports(300, 'delivered'), 'not json', mo('in-1', 'hi')]
    await fixture.deliver(bodies)
    await fixture.reopen()
    await fixture.deliver(bodies)
    expect(fixture.projector.state().storedTotal).toBe(302)
    expect((await searchAll(fixture)).every((row) => row.copies === 2)).toBe(true)
  })

  it('shows the delays of duplicates', async () => {
    for (const waitedMs of [0, 5_000, 25_000]) {
      await fixture.clock.advance(waitedMs)
      await fixture.deliver([dlr('m', 'delivered')])
    }
    const { event, copies } = fixture.service.get({ seq: 1 })
    expect(event.copies).toBe(3)
    expect(copies.map(({ afterFirstMs }) => afterFirstMs)).toEqual([0, 5_000, 30_000])
  })

  it('replaces unsigned content with signed content', async () => {
    const unsigned = { verdict: 'unsigned' } as const
    await fixture.deliver([dlr('m', 'failed', { error_code: 4, destination: '+999' })], unsigned)
    await fixture.deliver([dlr('m', 'failed', { error_code: 2 })])
    await fixture.deliver([dlr('m', 'failed', { error_code: 3 })], unsigned)
    const { event, rawBody } = fixture.service.get({ seq: 1 })
    expect(event).toMatchObject({ verdict: 'signed', errorCode: 2, number: '+15550001111', copies: 3 })
    expect(JSON.parse(rawBody)).toMatchObject({ error_code: 2 })
  })
})

describe('the watermark', () => {
  // A trigger that fails inside a transaction simulates a process that dies there.
  it.each([
    ['among the events', `BEFORE INSERT ON events WHEN NEW.seq = 1300`],
    ['after them', `BEFORE UPDATE ON projector WHEN NEW.watermark = 2000`],
  ])('advances with the events or not at all when a batch fails %s', async (_name, where) => {
    fixture = openEventsFixture({ start: false })
    fixture.append(reports(2_500, 'submitted'))
    fixture.state().exec(`CREATE TRIGGER broken ${where} BEGIN SELECT raise(ABORT, 'cut'); END`)
    const stop = fixture.projector.start()
    await failed()
    await stop()
    expect(fixture.projector.state()).toEqual({ watermark: 1_000, storedTotal: 1_000 })
    expect(fixture.state().prepare('SELECT count(*) FROM events').pluck().get()).toBe(1_000)
    const tallied = "SELECT sum(count) FROM tallies WHERE subject = 'outcome' AND grain_ms = 3600000"
    expect(fixture.state().prepare(tallied).pluck().get()).toBe(1_000)

    fixture.state().exec('DROP TRIGGER broken')
    await fixture.reopen()
    const stopAgain = fixture.projector.start()
    await fixture.projector.caughtUp()
    expect(fixture.projector.state()).toEqual({ watermark: 2_500, storedTotal: 2_500 })
    expect((await searchAll(fixture)).every((row) => row.copies === 1)).toBe(true)
    await stopAgain()
  })

  it('reads a first delivery at once and combines quick followers', async () => {
    const batches: number[] = []
    fixture.projector.onProjected(({ afterSeq, upToSeq }) => void batches.push(upToSeq - afterSeq))
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    let sent = 0
    const come = async () => {
      fixture.projector.notify(fixture.append([dlr(`m-${sent++}`, 'submitted')]))
      await turns(4)
    }
    await come()
    expect(batches).toEqual([1])
    for (let count = 0; count < 30; count++) await come()
    await fixture.projector.caughtUp()
    expect(batches.length).toBeLessThan(16)
    expect(fixture.projector.state().storedTotal).toBe(31)
  })

  it('writes a message once per transaction with the same result as one by one', async () => {
    const once = ['submitted', 'delivered', 'submitted', 'failed'].flatMap((status) =>
      Array.from({ length: 20 }, (_item, index) => dlr(`m-${index % 7}`, status, { error_code: index % 3 })),
    )
    const bodies = [...once, mo('i-1', 'hello'), ...once, mo('i-1', 'hello')]
    await fixture.deliver(bodies)
    const together = dumpOf(fixture)
    fixture = openEventsFixture()
    for (const body of bodies) await fixture.deliver([body])
    expect(dumpOf(fixture)).toEqual(together)
  })
})

/** Deliveries that a damaged journal lost. */
function loseDeliveries(where: string): void {
  const db = new Sqlite(fixture.state().name.replace('state.db', 'journal.db'))
  db.exec(`DELETE FROM deliveries WHERE ${where}`)
  db.close()
}

describe('a salvaged state.db', () => {
  /** What a salvage leaves. */
  const dropSums = () =>
    fixture
      .state()
      .exec('DELETE FROM projector; DELETE FROM messages; DELETE FROM kept_messages; DELETE FROM arrivals')

  it('keeps events that the journal lost, and rebuilds those that the state lost, and the sums', async () => {
    await fixture.deliver([
      ...reports(1_500, 'submitted'),
      ...reports(1_500, 'delivered'),
      'odd',
      mo('in', 'x'),
    ])
    await fixture.clock.advance(61_000)
    await fixture.deliver([...reports(40, 'submitted'), ...reports(20, 'failed'), 'odd'])
    const before = dumpOf(fixture)
    dropSums()
    loseDeliveries('seq BETWEEN 10 AND 900 OR seq BETWEEN 1450 AND 1600 OR seq BETWEEN 3000 AND 3010')
    fixture
      .state()
      .exec('DELETE FROM events WHERE seq BETWEEN 950 AND 990; DELETE FROM copies WHERE journal_seq > 3030')
    await fixture.reopen()
    expect(dumpOf(fixture)).toEqual(before)
  })

  it('shows events beyond the end of a truncated journal and numbers new ones above', async () => {
    await fixture.deliver(reports(100, 'submitted'))
    dropSums()
    loseDeliveries('seq > 60')
    await fixture.reopen()
    expect(fixture.projector.state()).toEqual({ watermark: 100, storedTotal: 100 })
    expect(await searchAll(fixture)).toHaveLength(100)
    expect(fixture.projector.highestSeq()).toBe(100)
  })

  it('reports the highest used number before it reads, so that no number repeats', async () => {
    fixture = openEventsFixture({ start: false })
    fixture.append(reports(5, 'submitted'))
    const stop = fixture.projector.start()
    await fixture.projector.caughtUp()
    await stop()
    dropSums()
    await fixture.reopen()
    expect(fixture.projector.state().watermark).toBe(0)
    expect(fixture.projector.highestSeq()).toBe(5)
    // Opening must not delete everything at once.
    expect(fixture.state().prepare('SELECT count(*) FROM events').pluck().get()).toBe(5)
  })

  it('keeps a signed duplicate’s content when the journal lost it', async () => {
    await fixture.deliver([dlr('m', 'failed', { error_code: 4 })], { verdict: 'unsigned' })
    await fixture.deliver([dlr('m', 'failed', { error_code: 2 })])
    const before = dumpOf(fixture)
    dropSums()
    loseDeliveries('seq = 2')
    await fixture.reopen()
    expect(dumpOf(fixture)).toEqual({ ...before, projector: [{ id: 1, watermark: 2, stored_total: 1 }] })
  })

  it('restarts an interrupted rebuild and counts nothing twice', async () => {
    await fixture.deliver([...reports(2_500, 'submitted'), dlr('m-1', 'delivered')])
    const before = dumpOf(fixture)
    dropSums()
    loseDeliveries('seq <= 2300')
    // Fails while it deletes events, after some were kept and counted.
    fixture.state().exec(`CREATE TRIGGER broken BEFORE DELETE ON events WHEN OLD.seq = 2400
      BEGIN SELECT raise(ABORT, 'cut'); END`)
    void fixture.reopen()
    await failed()
    const closing = fixture.reopen()
    fixture.state().exec('DROP TRIGGER broken')
    await closing
    expect(dumpOf(fixture)).toEqual(before)
  })

  it('finds every event again after real page damage', async () => {
    await fixture.deliver([...reports(2_000, 'submitted'), ...reports(100, 'submitted')])
    const before = dumpOf(fixture)
    const file = fixture.state().name
    await fixture.reopen(() => {
      const fd = openSync(file, 'r+')
      writeSync(fd, Buffer.alloc(4096), 0, 4096, 4096 * 40)
      closeSync(fd)
      loseDeliveries('seq BETWEEN 1000 AND 1010')
    })
    expect(readdirSync(dirname(file)).some((name) => name.startsWith('state.db.corrupt-'))).toBe(true)
    expect(dumpOf(fixture)).toEqual(before)
  })
})

describe('rebuild', () => {
  it('makes readers of all events wait, and they can cancel', async () => {
    await fixture.deliver(reports(1_500, 'submitted'))
    const { projector } = fixture.feature()
    await projector.whenComplete(new AbortController().signal)
    const rebuilt = projector.rebuild()
    const givenUp = AbortSignal.abort(new Error('given up'))
    await expect(projector.whenComplete(givenUp)).rejects.toThrow('given up')
    await projector.whenComplete(new AbortController().signal)
    expect(projector.state()).toEqual({ watermark: 1_500, storedTotal: 1_500 })
    await rebuilt
  })

  it('applies the current opt-out keywords, and keeps events that the journal lost', async () => {
    await fixture.deliver([mo('lost', 'Hi'), mo('m', 'Genug!')])
    expect((await searchAll(fixture)).map(({ optOut }) => optOut)).toEqual([false, false])
    loseDeliveries('seq = 1')
    fixture.optOutKeywords = [...fixture.optOutKeywords, 'genug']
    await fixture.projector.rebuild()
    expect((await searchAll(fixture)).map(({ optOut }) => optOut)).toEqual([true, false])
  })
})

describe('batch notifications', () => {
  it('name the range and the result', async () => {
    const batches: unknown[] = []
    fixture.projector.onProjected((batch) => batches.push(batch))
    await fixture.deliver([dlr('a', 'submitted'), dlr('a', 'submitted'), mo('b', 'stop'), '[]'])
    const range = { afterSeq: 0, upToSeq: 4, storedTotal: 3 }
    const counts = {
      added: 3,
      copies: 1,
      replaced: 0,
      replacedInbound: 0,
      quarantined: 1,
      optOuts: 1,
      pruned: 0,
    }
    expect(batches).toEqual([{ ...range, ...counts }])
  })

  it('continue when a listener throws', async () => {
    fixture.projector.onProjected(() => {
      throw new Error('not mine')
    })
    await fixture.deliver([dlr('a', 'submitted')])
    await fixture.deliver([dlr('b', 'submitted')])
    expect(fixture.projector.state().storedTotal).toBe(2)
  })
})
