import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { RetentionSettings } from '#contract/live/retention.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInboxRepository } from '#electron/core/live/inbox/inbox.repository.ts'
import { createSharedValues } from '#electron/core/people/team/shared-values.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createRetentionService } from '#electron/core/live/retention/retention.service.ts'
import { createSettingsRepository } from '#electron/core/platform/settings/settings.repository.ts'
import { type OpenedDatabase, openDatabase } from '#electron/database/open.ts'
import { openJournal } from '#electron/listener/journal.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import {
  dlr,
  dumpOf,
  type EventsFixture,
  mo,
  openEventsFixture,
  recordWatch,
  searchAll,
} from '../events/events-fixture.ts'

const dayMs = 86_400_000
const keepAll: RetentionSettings = { deleteAfterDays: null, maxMb: null, keepAtLeastDays: 1 }

/** Deletes what is older than 30 days. */
const monthly: RetentionSettings = { ...keepAll, deleteAfterDays: 30 }

let fixture: EventsFixture
let consoleDb: OpenedDatabase
let stop: () => Promise<void>

beforeEach(() => {
  fixture = openEventsFixture()
  consoleDb = openDatabase({ file: join(tempFolder(), 'console.db'), schema: 'console', log: quietLog })
  onTestFinished(consoleDb.close)
  stop = () => Promise.resolve()
  onTestFinished(() => stop())
})

function startRetention() {
  const { repository, projector } = fixture.feature()
  const file = fixture.state().name
  const retention = createRetentionService({
    connectionId: 'c',
    stateDb: fixture.state(),
    stateFile: file,
    journalFile: file.replace('state.db', 'journal.db'),
    journal: fixture.reader(),
    events: repository,
    projector,
    listener: { prune: async (range) => fixture.journal.prune(range) },
    settings: createSettingsRepository(consoleDb.db, fixture.clock),
    clock: fixture.clock,
    log: quietLog,
  })
  const ended = retention.start()
  stop = async () => {
    stop = () => Promise.resolve()
    await ended()
  }
  return {
    ...retention,
    /** Sets limits and waits until they hold. */
    async apply(settings: RetentionSettings) {
      retention.set(settings)
      await retention.settled()
    },
  }
}

const reports = (count: number, status: string, prefix = 'm') =>
  Array.from({ length: count }, (_item, n) => dlr(`${prefix}-${n}`, status))
const at = (daysAgo: number) => ({ receivedMs: fixture.clock.now() - daysAgo * dayMs })
const journalSeqs = () =>
  fixture
    .reader()
    .readAfter(0, 100_000)
    .map(({ seq }) => seq)
const shown = async () => (await searchAll(fixture)).map(({ messageId }) => messageId)

describe('old events', () => {
  it('are deleted with their deliveries past the limit; newer ones stay whole', async () => {
    await fixture.deliver([dlr('old', 'submitted'), dlr('old', 'delivered'), mo('old-mo', 'hi')], at(31))
    await fixture.deliver([dlr('edge', 'delivered')], at(29.9))
    await fixture.deliver([dlr('new', 'delivered'), dlr('new', 'delivered')], at(0))
    const retention = startRetention()
    expect(retention.preview(monthly)).toMatchObject({ events: 3 })
    await retention.apply(monthly)
    expect(await shown()).toEqual(['new', 'edge'])
    expect(journalSeqs()).toEqual([4, 5, 6])
    expect(retention.get()).toMatchObject({
      events: 2,
      oldestAt: new Date(fixture.clock.now() - 29.9 * dayMs).toISOString(),
      running: null,
      last: { deleted: 3 },
      overLimit: false,
    })
    expect((await searchAll(fixture, { text: 'new' }))[0]).toMatchObject({ copies: 2 })
    expect(fixture.projector.state().storedTotal).toBe(2)
  })

  it('stay while a duplicate or an open report of theirs is newer', async () => {
    const old = [dlr('copied', 'delivered'), dlr('open', 'submitted'), dlr('done', 'failed')]
    await fixture.deliver(old, at(40))
    await fixture.deliver([dlr('copied', 'delivered')], at(2))
    await startRetention().apply(monthly)
    expect(await shown()).toEqual(['copied'])
    // The delivery that its fields came from is still readable.
    expect(journalSeqs()).toEqual([1, 4])
    expect(fixture.service.get({ seq: 1 }).rawBody).toContain('copied')
    expect(fixture.service.messageStatus('open')).toBe('submitted')
    expect(fixture.service.messageStatus('done')).toBeNull()
  })

  it('leave the sums unchanged and the counts of open watches right, and do not return after a restart', async () => {
    await fixture.deliver(reports(700, 'failed'), at(40))
    await fixture.deliver([dlr('new', 'failed')], at(0))
    const watches = [{}, { statuses: ['failed'] }].map((filter) => recordWatch(fixture, filter, 701))
    for (const { until } of watches) await until(701)
    const before = dumpOf(fixture)
    await startRetention().apply(monthly)
    const { tallies, arrivals, events } = dumpOf(fixture)
    expect({ tallies, arrivals }).toEqual({ tallies: before['tallies'], arrivals: before['arrivals'] })
    expect(events).toHaveLength(1)
    for (const { batches, stop: end } of watches) {
      await expect
        .poll(async () => {
          await fixture.clock.advance(200)
          return batches.at(-1)
        })
        .toMatchObject({ storedTotal: 1, matchingTotal: 1 })
      await end()
    }
    await stop()
    await fixture.reopen()
    expect(await shown()).toEqual(['new'])
    await fixture.deliver([dlr('newer', 'delivered')], at(0))
    expect(fixture.projector.state()).toEqual({ watermark: 702, storedTotal: 2 })
  })

  it('are deleted by size, oldest first, but never within the minimum days', async () => {
    const long = 'x'.repeat(20_000)
    for (let day = 20; day > 0; day--) {
      const messages = Array.from({ length: 100 }, (_, n) => mo(`d${day}-${n}`, long))
      await fixture.deliver(messages, at(day - 0.5))
    }
    const retention = startRetention()
    const { usedBytes: used, freeBytes, fileBytes } = retention.get()
    expect(freeBytes).toBeLessThan(2 ** 20)
    expect(used).toBeGreaterThan(40 * 2 ** 20)
    await retention.apply({ deleteAfterDays: null, maxMb: 40, keepAtLeastDays: 3 })
    const left = retention.get()
    expect(left.usedBytes).toBeLessThanOrEqual(40 * 2 ** 20)
    expect(left.usedBytes).toBeGreaterThan(30 * 2 ** 20)
    // The files keep their size; deleted rows become free space.
    expect(left.freeBytes).toBeGreaterThanOrEqual(used - left.usedBytes - 2 ** 20)
    expect(left.fileBytes).toBeGreaterThanOrEqual(fileBytes - 2 ** 20)
    const ids = await shown()
    expect(ids).toHaveLength(left.events)
    // The newest stay, without a gap.
    expect(ids.slice(0, 300).every((id) => /^d[123]-/.test(id!))).toBe(true)
    await retention.apply({ deleteAfterDays: null, maxMb: 10, keepAtLeastDays: 15 })
    expect(retention.get().overLimit).toBe(true)
    const ofMinimum = (all: typeof ids) => all.filter((id) => /^d([1-9]|1[0-5])-/.test(id!))
    expect(ofMinimum(await shown())).toEqual(ofMinimum(ids))
  })

  it('leave conversations, except for opt-outs that still wait for their hold or an answer', async () => {
    const from = (source: string, id: string, text: string) => mo(id, text, { source })
    await fixture.deliver(
      [
        from('+15550000001', 'a1', 'hello'),
        from('+15550000002', 'b1', 'hello'),
        from('+15550000004', 's', 'STOP'),
        from('+15550000003', 'p', 'please stop'),
      ],
      at(40),
    )
    await fixture.deliver([from('+15550000001', 'a2', 'again')], at(1))
    const inbox = createInboxRepository(
      fixture.state(),
      createSharedValues(fixture.state(), systemClock),
      () => null,
      () => false,
    )
    while (inbox.step(fixture.projector.state().watermark));
    expect(inbox.counts()).toEqual({ conversations: 4, unread: 4 })
    const unforget = fixture.projector.onPruned(inbox.forget)
    await startRetention().apply(monthly)
    void unforget()
    expect(await shown()).toEqual(['a2', 'p', 's'])
    expect(inbox.counts()).toEqual({ conversations: 3, unread: 3 })
    expect(inbox.get('15550000001')).toMatchObject({ messages: 1, unread: 1 })
    expect(inbox.get('15550000002')).toBeNull()
  })

  it('stay without a limit, and are deleted automatically as they age with one', async () => {
    await fixture.deliver([dlr('old', 'delivered')], at(4_000))
    await fixture.deliver([dlr('a', 'delivered'), dlr('b', 'delivered')], at(0))
    const retention = startRetention()
    await fixture.clock.advance(3_600_000)
    await retention.settled()
    expect(await shown()).toEqual(['b', 'a', 'old'])
    expect(retention.get()).toMatchObject({ settings: { deleteAfterDays: null, maxMb: null }, last: null })
    await retention.apply({ ...keepAll, deleteAfterDays: 1 })
    expect(await shown()).toEqual(['b', 'a'])
    await fixture.clock.advance(dayMs + 60_000)
    await fixture.deliver([dlr('c', 'delivered')], at(0))
    await fixture.clock.advance(1_200_000)
    await retention.settled()
    expect(await shown()).toEqual(['c'])
    expect(journalSeqs()).toEqual([4])
  })

  it('are not aged by a clock that was set wrong', async () => {
    await fixture.deliver([dlr('older', 'delivered')], at(60))
    await fixture.deliver([dlr('a', 'delivered')], at(2))
    await fixture.deliver([dlr('b', 'delivered')], at(0))
    const retention = startRetention()
    fixture.clock.jumpWall(400 * dayMs)
    await retention.apply({ deleteAfterDays: 30, maxMb: null, keepAtLeastDays: 7 })
    expect(await shown()).toEqual(['b', 'a'])
  })

  it('stop being deleted when the setting changes or the connection closes', async () => {
    await fixture.deliver(reports(2_000, 'delivered'), at(40))
    await fixture.deliver([dlr('new', 'delivered')], at(0))
    const retention = startRetention()
    const { projector } = fixture
    const begin = async () => {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      const unwatch = projector.onPruned(() => resolve(undefined))
      retention.set(monthly)
      await promise
      void unwatch()
    }
    await begin()
    await retention.apply(keepAll)
    const left = projector.state().storedTotal
    expect(left).toBeGreaterThan(1_000)
    expect(left).toBeLessThan(2_001)
    await begin()
    await stop()
    expect(projector.state().storedTotal).toBeGreaterThan(500)
    expect(projector.state().storedTotal).toBeLessThan(left)
  })

  it('deleted on purpose are not reported as lost after journal damage', async () => {
    await fixture.deliver(reports(300, 'delivered'), at(40))
    await fixture.deliver(reports(50, 'delivered', 'n'), at(0))
    const file = fixture.state().name.replace('state.db', 'journal.db')
    const witness = readFileSync(`${file}.witness`)
    await startRetention().apply(monthly)
    fixture.reader().close()
    fixture.journal.close()
    // As after a power cut: the witness is not synced.
    writeFileSync(`${file}.witness`, witness)
    const bytes = readFileSync(file)
    bytes.fill(0xff, bytes.length - 4096)
    writeFileSync(file, bytes)
    const damaged = openJournal({ file, log: quietLog, now: fixture.clock.now })
    const lost = Number(damaged.loss?.lost['lost'] ?? 0)
    expect(lost).toBeLessThanOrEqual(50)
    damaged.close()
  })
})
