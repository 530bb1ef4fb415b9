import Sqlite from 'better-sqlite3'
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyOf } from '#electron/core/live/events/event-key.ts'
import { parseDelivery } from '#electron/core/live/events/parse-delivery.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { dlr, dumpOf, type EventsFixture, mo, openEventsFixture, searchAll } from './events-fixture.ts'

let fixture: EventsFixture
beforeEach(() => {
  fixture = openEventsFixture()
})
afterEach(() => fixture.close())

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, index) =>
        permutations(items.filter((_other, at) => at !== index)).map((rest) => [item, ...rest]),
      )

describe('duplicates and disorder', () => {
  it('reaches the same state for any order of four statuses and their duplicates', async () => {
    const statuses = ['submitted', 'delivered', 'failed', 'expired']
    const orders = permutations(statuses)
    const copiesTogether = orders.map((order) => order.flatMap((status) => [status, status, status]))
    const copiesInRounds = orders.map((order) => [...order, ...order, ...order])
    const random = seededRandom(7)
    const shuffled = Array.from({ length: 400 }, () =>
      copiesInRounds[0]!
        .map((status) => ({ status, place: random() }))
        .sort((a, b) => a.place - b.place)
        .map(({ status }) => status),
    )
    const all = [...copiesTogether, ...copiesInRounds, ...shuffled]
    await fixture.deliver(all.flatMap((order, index) => order.map((status) => dlr(`m-${index}`, status))))

    expect(fixture.feature().projector.state().storedTotal).toBe(all.length * 4)
    const byMessage = Map.groupBy(await searchAll(fixture), (row) => row.messageId)
    expect(byMessage.size).toBe(all.length)
    for (const [messageId, rows] of byMessage) {
      expect(fixture.feature().service.messageStatus(messageId!)).toBe('delivered')
      expect(rows.map((row) => row.status).sort()).toEqual([...statuses].sort())
      expect(rows.map((row) => row.copies)).toEqual([3, 3, 3, 3])
    }
  })

  it('keeps each text of inbound messages that share an ID, and their duplicates', async () => {
    const other = { source: '+15550003333' }
    await fixture.deliver([mo('m', 'hello'), mo('m', 'hello'), mo('m', 'STOP'), mo('m', 'hello', other)])
    await fixture.deliver([mo('m', 'STOP')])
    const rows = await searchAll(fixture)
    expect(rows.map(({ content, number, copies, optOut }) => [content, number, copies, optOut])).toEqual([
      ['hello', '+15550003333', 1, false],
      ['STOP', '+15550002222', 2, true],
      ['hello', '+15550002222', 2, false],
    ])
  })

  /**
   * Four statuses in three copies have 369,600 orders. The state must depend only on how often each status came, so it is enough to check
   * every next delivery from every such count.
   */
  it('reaches the same state for every order of four statuses and three copies of each', async () => {
    const statuses = ['submitted', 'delivered', 'failed', 'expired']
    const counts = Array.from({ length: 4 ** 4 }, (_item, n) =>
      statuses.map((_status, at) => (n >> (2 * at)) & 3),
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
    expect(ways).toHaveLength(4 * 3 * 4 ** 3)
    await fixture.deliver(ways.flatMap(({ order }, way) => order.map((status) => dlr(`m-${way}`, status))))
    const events = Map.groupBy(await searchAll(fixture), ({ messageId }) => messageId)
    const furthest = fixture.state().prepare('SELECT status, rank, final FROM messages WHERE message_id = ?')
    const stateOf = (way: number) => ({
      events: events
        .get(`m-${way}`)!
        .map(({ status, copies, number, verdict }) => JSON.stringify([status, copies, number, verdict]))
        .sort(),
      message: furthest.get(`m-${way}`),
    })
    const states = Map.groupBy(ways.keys(), (way) => ways[way]!.count.join())
    expect(states.size).toBe(4 ** 4 - 1)
    for (const [count, [first, ...others]] of states)
      for (const way of others) expect(stateOf(way), count).toEqual(stateOf(first!))
  })

  it('gives every set of statuses one furthest status in any order', async () => {
    const furthest = ['submitted', 'buffered', 'expired', 'failed', 'delivered']
    const subsets = Array.from({ length: 31 }, (_item, index) =>
      furthest.filter((_status, bit) => ((index + 1) >> bit) & 1),
    )
    const orders = subsets.flatMap((subset) => permutations(subset).map((order) => ({ subset, order })))
    await fixture.deliver(
      orders.flatMap(({ order }, index) =>
        order.map((status, at) => dlr(`m-${index}`, status, { delivered_at: `2026-01-05T09:00:0${at}Z` })),
      ),
    )
    for (const [index, { subset }] of orders.entries())
      expect(fixture.feature().service.messageStatus(`m-${index}`)).toBe(subset.at(-1))
  })

  it('keeps a final status after a late submitted', async () => {
    await fixture.deliver([dlr('a', 'failed'), dlr('a', 'submitted'), dlr('b', 'submitted')])
    expect(fixture.feature().service.messageStatus('a')).toBe('failed')
    expect(fixture.feature().service.messageStatus('b')).toBe('submitted')
  })

  it('ranks an unknown status above submitted and below a final one', async () => {
    await fixture.deliver([
      dlr('a', 'buffered'),
      dlr('a', 'submitted'),
      dlr('b', 'buffered'),
      dlr('b', 'expired'),
    ])
    expect(fixture.feature().service.messageStatus('a')).toBe('buffered')
    expect(fixture.feature().service.messageStatus('b')).toBe('expired')
    expect((await searchAll(fixture, { statuses: ['buffered'] })).map((row) => row.messageId)).toEqual([
      'b',
      'a',
    ])
  })

  it('tells events of one message apart by kind, status and text, and messages by ID', async () => {
    await fixture.deliver([
      dlr('x', 'submitted'),
      mo('x', 'hello'),
      dlr('y', 'submitted'),
      mo('x', 'hello again'),
    ])
    const rows = await searchAll(fixture)
    expect(rows.map((row) => [row.seq, row.kind, row.messageId, row.copies])).toEqual([
      [4, 'mo', 'x', 1],
      [3, 'dlr', 'y', 1],
      [2, 'mo', 'x', 1],
      [1, 'dlr', 'x', 1],
    ])
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
    expect((await searchAll(fixture)).map((row) => [row.seq, row.copies])).toEqual([
      [4, 1],
      [3, 1],
      [2, 1],
      [1, 1],
    ])
    expect(
      fixture
        .feature()
        .service.get(3)
        .timeline.map((row) => row.messageId),
    ).toEqual(['b'])
  })

  it('stores nothing when old deliveries are replayed after a restart', async () => {
    const bodies = Array.from({ length: 300 }, (_item, index) => dlr(`m-${index}`, 'delivered'))
    await fixture.deliver([...bodies, 'not json', mo('in-1', 'hi')])
    const before = fixture.feature().projector.state().storedTotal
    await fixture.reopen()
    await fixture.deliver([...bodies, 'not json', mo('in-1', 'hi')])
    expect(fixture.feature().projector.state().storedTotal).toBe(before)
    expect((await searchAll(fixture)).every((row) => row.copies === 2)).toBe(true)
  })

  it('shows the delays of duplicates', async () => {
    await fixture.deliver([dlr('m', 'delivered')])
    await fixture.clock.advance(5_000)
    await fixture.deliver([dlr('m', 'delivered')])
    await fixture.clock.advance(25_000)
    await fixture.deliver([dlr('m', 'delivered')])
    const detail = fixture.feature().service.get(1)
    expect(detail.event.copies).toBe(3)
    expect(detail.copies.map((copy) => copy.afterFirstMs)).toEqual([0, 5_000, 30_000])
  })

  it('replaces unsigned content with signed content', async () => {
    await fixture.deliver([dlr('m', 'failed', { error_code: 4, destination: '+999' })], {
      verdict: 'unsigned',
    })
    await fixture.deliver([dlr('m', 'failed', { error_code: 2 })])
    await fixture.deliver([dlr('m', 'failed', { error_code: 3 })], { verdict: 'unsigned' })
    const { event, rawBody } = fixture.feature().service.get(1)
    expect(event).toMatchObject({
      verdict: 'signed',
      errorCode: 2,
      number: '+15550001111',
      copies: 3,
      seq: 1,
    })
    expect(JSON.parse(rawBody)).toMatchObject({ error_code: 2 })
  })
})

describe('the watermark', () => {
  // A trigger that fails inside a transaction simulates a process that dies there.
  it.each([
    ['among the events', `BEFORE INSERT ON events WHEN NEW.seq = 1300`],
    ['after them', `BEFORE UPDATE ON projector WHEN NEW.watermark = 2000`],
  ])('advances with the events or not at all when a batch fails %s', async (_name, where) => {
    await fixture.close()
    fixture = openEventsFixture({ start: false })
    fixture.append(Array.from({ length: 2_500 }, (_item, index) => dlr(`m-${index}`, 'submitted')))
    fixture.state().exec(`CREATE TRIGGER broken ${where} BEGIN SELECT raise(ABORT, 'cut'); END`)
    const stop = fixture.feature().projector.start()
    const failed = () => fixture.logged.some((entry) => entry.level === 'error')
    while (!failed()) await new Promise((resolve) => setImmediate(resolve))
    await stop()
    expect(fixture.feature().projector.state()).toEqual({ watermark: 1_000, storedTotal: 1_000 })
    expect(fixture.state().prepare('SELECT count(*) FROM events').pluck().get()).toBe(1_000)

    fixture.state().exec('DROP TRIGGER broken')
    await fixture.reopen()
    const stopAgain = fixture.feature().projector.start()
    await fixture.feature().projector.caughtUp()
    expect(fixture.feature().projector.state()).toEqual({ watermark: 2_500, storedTotal: 2_500 })
    expect((await searchAll(fixture)).every((row) => row.copies === 1)).toBe(true)
    await stopAgain()
  })

  it('reads a first delivery at once and combines quick followers', async () => {
    const batches: number[] = []
    fixture.feature().projector.onProjected(({ afterSeq, upToSeq }) => void batches.push(upToSeq - afterSeq))
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    let sent = 0
    const come = async () => {
      fixture.feature().projector.notify(fixture.append([dlr(`m-${sent++}`, 'submitted')]))
      await turns(4)
    }
    await come()
    expect(batches).toEqual([1])
    for (let count = 0; count < 30; count++) await come()
    await fixture.feature().projector.caughtUp()
    expect(batches.length).toBeLessThan(16)
    expect(fixture.feature().projector.state().storedTotal).toBe(31)
  })

  it('writes a message once per transaction with the same result as one by one', async () => {
    const bodies = ['submitted', 'delivered', 'submitted', 'failed'].flatMap((status) =>
      Array.from({ length: 20 }, (_item, index) => dlr(`m-${index % 7}`, status, { error_code: index % 3 })),
    )
    await fixture.deliver([...bodies, mo('i-1', 'hello'), ...bodies, mo('i-1', 'hello')])
    const together = dumpOf(fixture)
    await fixture.close()
    fixture = openEventsFixture()
    for (const body of [...bodies, mo('i-1', 'hello'), ...bodies, mo('i-1', 'hello')])
      await fixture.deliver([body])
    expect(dumpOf(fixture)).toEqual(together)
  })

  it('retries a failed batch automatically and skips nothing', async () => {
    fixture
      .state()
      .exec(`CREATE TRIGGER broken BEFORE INSERT ON events BEGIN SELECT raise(ABORT, 'full'); END`)
    fixture.feature().projector.notify(fixture.append([dlr('m', 'submitted')]))
    await fixture.clock.advance(500)
    expect(fixture.feature().projector.state().storedTotal).toBe(0)
    fixture.state().exec('DROP TRIGGER broken')
    await fixture.clock.advance(1_000)
    await fixture.feature().projector.caughtUp()
    expect(fixture.feature().projector.state().storedTotal).toBe(1)
  })

  it('catches up at start with deliveries from while it was closed', async () => {
    fixture.append(Array.from({ length: 2_300 }, (_item, index) => dlr(`m-${index}`, 'submitted')))
    await fixture.reopen()
    expect(fixture.feature().projector.state()).toEqual({ watermark: 2_300, storedTotal: 2_300 })
  })

  it('starts over without its sums, as after a salvage', async () => {
    await fixture.deliver([dlr('a', 'submitted'), dlr('a', 'submitted'), dlr('a', 'delivered')])
    const before = dumpOf(fixture)
    fixture
      .state()
      .exec('DELETE FROM projector; DELETE FROM messages; DELETE FROM kept_messages; DELETE FROM arrivals')
    await fixture.reopen()
    expect(dumpOf(fixture)).toEqual(before)
  })
})

describe('a salvaged state.db', () => {
  /** What a salvage leaves. */
  const dropSums = () =>
    fixture
      .state()
      .exec('DELETE FROM projector; DELETE FROM messages; DELETE FROM kept_messages; DELETE FROM arrivals')
  /** Deliveries that a damaged journal lost too. */
  const loseDeliveries = (where: string) => {
    const db = new Sqlite(fixture.state().name.replace('state.db', 'journal.db'))
    db.exec(`DELETE FROM deliveries WHERE ${where}`)
    db.close()
  }
  const reports = (count: number, status: string) =>
    Array.from({ length: count }, (_item, index) => dlr(`m-${index}`, status))

  it('keeps events that the journal lost, and rebuilds all others and the sums', async () => {
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
    await fixture.reopen()
    expect(dumpOf(fixture)).toEqual(before)
  })

  it('rebuilds what only the state lost', async () => {
    await fixture.deliver([...reports(300, 'submitted'), ...reports(300, 'submitted')])
    const before = dumpOf(fixture)
    dropSums()
    fixture
      .state()
      .exec('DELETE FROM events WHERE seq BETWEEN 50 AND 90; DELETE FROM copies WHERE journal_seq > 550')
    await fixture.reopen()
    expect(dumpOf(fixture)).toEqual(before)
  })

  it('shows events beyond the end of a truncated journal and numbers new ones above', async () => {
    await fixture.deliver(reports(100, 'submitted'))
    dropSums()
    loseDeliveries('seq > 60')
    await fixture.reopen()
    expect(fixture.feature().projector.state()).toEqual({ watermark: 100, storedTotal: 100 })
    expect(await searchAll(fixture)).toHaveLength(100)
    expect(fixture.feature().projector.highestSeq()).toBe(100)
  })

  it('reports the highest used number before it reads, so that no number repeats', async () => {
    await fixture.close()
    fixture = openEventsFixture({ start: false })
    fixture.append(reports(5, 'submitted'))
    const stop = fixture.feature().projector.start()
    await fixture.feature().projector.caughtUp()
    await stop()
    dropSums()
    await fixture.reopen()
    expect(fixture.feature().projector.state().watermark).toBe(0)
    expect(fixture.feature().projector.highestSeq()).toBe(5)
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
    while (!fixture.logged.some((entry) => entry.level === 'error'))
      await new Promise((resolve) => setImmediate(resolve))
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
    await fixture.deliver(Array.from({ length: 1_500 }, (_item, index) => dlr(`m-${index}`, 'submitted')))
    const { projector } = fixture.feature()
    await projector.whenComplete(new AbortController().signal)
    const rebuilt = projector.rebuild()
    const givenUp = AbortSignal.abort(new Error('given up'))
    await expect(projector.whenComplete(givenUp)).rejects.toThrow('given up')
    await projector.whenComplete(new AbortController().signal)
    expect(projector.state()).toEqual({ watermark: 1_500, storedTotal: 1_500 })
    await rebuilt
  })

  it('keeps events that the journal lost', async () => {
    await fixture.deliver([dlr('a', 'submitted'), dlr('b', 'submitted'), dlr('a', 'submitted')])
    const before = dumpOf(fixture)
    const db = new Sqlite(fixture.state().name.replace('state.db', 'journal.db'))
    db.exec('DELETE FROM deliveries WHERE seq = 1')
    db.close()
    await fixture.feature().projector.rebuild()
    expect(dumpOf(fixture)).toEqual(before)
  })

  it('gives the same result as reading step by step', async () => {
    const statuses = ['submitted', 'delivered', 'failed', 'buffered']
    for (let round = 0; round < 12; round++) {
      await fixture.clock.advance(17_000)
      await fixture.deliver(
        Array.from({ length: 40 }, (_item, index) => {
          const id = `m-${(round * 31 + index * 7) % 90}`
          if (index % 9 === 0) return `{"odd": ${index % 3}`
          if (index % 7 === 0) return mo(id, index % 2 ? 'STOP' : 'hello')
          return dlr(id, statuses[(round + index) % statuses.length]!, { error_code: index % 5 })
        }),
        { verdict: round % 3 === 0 ? 'unsigned' : 'signed' },
      )
    }
    const incremental = dumpOf(fixture)
    expect(incremental['events']!.length).toBeGreaterThan(100)
    expect(incremental['copies']!.length).toBeGreaterThan(100)
    await fixture.feature().projector.rebuild()
    expect(dumpOf(fixture)).toEqual(incremental)
  })

  it('applies the current opt-out keywords', async () => {
    await fixture.deliver([mo('m', 'Genug!')])
    expect((await searchAll(fixture))[0]!.optOut).toBe(false)
    fixture.optOutKeywords = [...fixture.optOutKeywords, 'genug']
    await fixture.feature().projector.rebuild()
    expect((await searchAll(fixture))[0]!.optOut).toBe(true)
  })
})

describe('batch notifications', () => {
  it('name the range and the result', async () => {
    const batches: unknown[] = []
    fixture.feature().projector.onProjected((batch) => batches.push(batch))
    await fixture.deliver([dlr('a', 'submitted'), dlr('a', 'submitted'), mo('b', 'stop'), '[]'])
    expect(batches).toEqual([
      {
        afterSeq: 0,
        upToSeq: 4,
        storedTotal: 3,
        added: 3,
        copies: 1,
        replaced: 0,
        replacedInbound: 0,
        quarantined: 1,
        optOuts: 1,
        pruned: 0,
      },
    ])
  })

  it('continue when a listener throws', async () => {
    fixture.feature().projector.onProjected(() => {
      throw new Error('not mine')
    })
    await fixture.deliver([dlr('a', 'submitted')])
    await fixture.deliver([dlr('b', 'submitted')])
    expect(fixture.feature().projector.state().storedTotal).toBe(2)
  })
})
