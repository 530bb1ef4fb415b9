import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AppError } from '#contract/errors.ts'
import type { LocalHours } from '#electron/lib/local-hours.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { startAlone } from './outbox-alone.ts'
import { phoneOf } from './outbox-items.ts'

const graceMs = 20_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const hours = { fromMinute: 9 * 60, toMinute: 20 * 60 }

const message = (phone: string, hours: LocalHours | null) => ({
  operation: 'send-ott' as const,
  name: '',
  contactId: null,
  serviceId: null,
  afterId: null,
  phone,
  hours,
  body: { to: phone, channelId: 'c', templateId: 't', variables: {} },
})

/** Queues the messages of a bulk send that starts in an hour, at 10:00 UTC. */
function queueSend(
  { outbox, clock }: ReturnType<typeof startAlone>,
  phones: readonly string[],
  hours: LocalHours | null = null,
) {
  const startMs = clock.now() + hourMs
  const { batchId } = outbox.begin({ kind: 'ott', title: 'Send', open: true, startMs })
  outbox.add(
    batchId,
    phones.map((phone) => message(phone, hours)),
  )
  outbox.hold(batchId, graceMs)
  outbox.go()
  return batchId
}

test('starts a send at its time, also after a restart and when the clock is set', async () => {
  const file = join(tempFolder(), 'state.db')
  const first = startAlone(file)
  const batchId = queueSend(first, [phoneOf(0)])
  await first.clock.advance(20 * minuteMs)
  expect(first.outbox.drain()).toMatchObject({ counts: { scheduled: 1, undoable: 0 }, etaMs: null })
  await first.stop()

  const second = startAlone(file)
  second.clock.jumpWall(20 * minuteMs)
  await second.clock.advance(30 * minuteMs)
  expect(second.sent).toEqual([])
  second.clock.jumpWall(15 * minuteMs)
  await second.clock.advance(2 * minuteMs)
  expect(second.sent).toHaveLength(1)
  const again = { batchId, at: null, confirmName: 'Live' }
  await expect(second.outbox.setStart(again)).rejects.toMatchObject({ code: 'OUTBOX_NOT_WAITING' })
})

test('asks instead of starting when Switchboard was closed at the start, and can be moved, started or cancelled', async () => {
  const file = join(tempFolder(), 'state.db')
  const first = startAlone(file)
  const [moved, now, cancelled] = [0, 1, 2].map((n) => queueSend(first, [phoneOf(n)]))
  await first.stop()

  const { outbox, clock, sent } = startAlone(file)
  clock.jumpWall(hourMs + 16 * minuteMs)
  await clock.advance(2 * minuteMs)
  expect(outbox.drain()).toMatchObject({ missedStarts: 3, nextStart: null, counts: { scheduled: 3 } })
  expect(outbox.batches({ limit: 10 }).items[0]).toMatchObject({ startMissed: true, undoableUntil: null })
  const newest = [1, 2].map((n) => outbox.begin({ kind: 'push', title: `Pushed ${n}` }).batchId)
  const listed = (batchId?: string) => outbox.batches({ limit: 1, batchId }).items.map(({ id }) => id)
  expect(listed()).toEqual([moved, now, cancelled, newest[1]])
  expect(listed(moved)).toEqual(listed())
  expect(listed(newest[0])).toEqual([newest[0], ...listed()])
  await expect(outbox.setStart({ batchId: now!, at: null })).rejects.toMatchObject({
    code: 'CONFIRMATION_MISMATCH',
  })
  const later = new Date(clock.now() + hourMs).toISOString()
  await outbox.setStart({ batchId: moved!, at: later, confirmName: 'Live' })
  expect(outbox.drain().movedStarts).toBe(1)
  await outbox.setStart({ batchId: now!, at: null, confirmName: 'Live' })
  await outbox.undo({ batchId: cancelled! })
  expect(sent, 'a start now can be undone').toEqual([])
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(1)
  await clock.advance(hourMs)
  expect(sent).toHaveLength(2)
  expect(outbox.drain()).toMatchObject({ missedStarts: 0, counts: { cancelled: 1, scheduled: 0 } })
})

test('sends the rest after a short break, and asks when Switchboard was closed for days', async () => {
  const file = join(tempFolder(), 'state.db')
  const first = startAlone(file)
  const phones = Array.from({ length: 900 }, (_, n) => phoneOf(n))
  const batchId = queueSend(first, phones)
  await first.clock.advance(hourMs + minuteMs)
  await first.stop()

  const second = startAlone(file)
  second.clock.jumpWall(hourMs + 2 * minuteMs)
  await second.clock.advance(minuteMs)
  expect(second.sent.length).toBeGreaterThan(0)
  await second.stop()

  const { outbox, clock, sent } = startAlone(file)
  clock.jumpWall(72 * hourMs)
  await expect.poll(() => outbox.drain().missedStarts).toBe(1)
  await clock.advance(2 * minuteMs)
  expect(sent).toEqual([])
  const left = phones.length - first.sent.length - second.sent.length
  expect(outbox.drain()).toMatchObject({ counts: { scheduled: left, queued: 0 } })
  expect(await outbox.undo({ batchId })).toMatchObject({ undone: left, left: phones.length - left })
})

test('starts a send only with a fresh DNC copy and inbound messages, and asks if that fails for long', async () => {
  const console = startAlone(join(tempFolder(), 'state.db'))
  const { outbox, clock, sent, dnc, inbound } = console
  queueSend(console, [phoneOf(0)])
  dnc.isFresh = false
  inbound.problems = ['inbound.secret']
  await clock.advance(hourMs + minuteMs)
  expect(outbox.drain()).toMatchObject({ state: 'waiting', problem: { code: 'SENDS_WAIT_FOR_DNC' } })
  dnc.isFresh = true
  await clock.advance(minuteMs)
  expect(sent).toEqual([])
  const state = { key: 'inbound.secret' }
  expect(outbox.drain()).toMatchObject({ problem: { code: 'SENDS_WAIT_FOR_INBOUND', data: { state } } })
  inbound.problems = []
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(1)

  const batchId = queueSend(console, [phoneOf(1)])
  dnc.isFresh = false
  await clock.advance(hourMs + 16 * minuteMs)
  expect(outbox.drain()).toMatchObject({ missedStarts: 1, counts: { scheduled: 1 } })
  await outbox.setStart({ batchId, at: null, confirmName: 'Live' })
  await clock.advance(minuteMs)
  expect(sent, 'a person starts it with the copy as it is').toHaveLength(2)
})

test('queued messages wait while the DNC copy is outdated, unless a person accepted that', async () => {
  const { outbox, clock, sent, dnc } = startAlone(join(tempFolder(), 'state.db'))
  const queue = (at: number, unchecked: boolean) => {
    const { batchId } = outbox.begin({ kind: 'ott', title: 'Send', unchecked })
    outbox.add(batchId, [message(phoneOf(at), null)])
    outbox.go()
  }
  /** To a recipient whose hours begin at 14:00 UTC. */
  const queueLater = () => {
    const { batchId } = outbox.begin({ kind: 'ott', title: 'Send' })
    outbox.add(batchId, [message('+4915112345678', { fromMinute: 15 * 60, toMinute: 20 * 60 })])
    outbox.go()
  }
  outbox.pause()
  queue(0, false)
  dnc.isFresh = false
  outbox.resume()
  await clock.advance(10 * minuteMs)
  expect(sent).toEqual([])
  expect(outbox.drain()).toMatchObject({ state: 'waiting', problem: { code: 'SENDS_WAIT_FOR_DNC' } })
  dnc.isFresh = true
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(1)

  // Also behind one that waits.
  dnc.isFresh = false
  queue(3, false)
  queue(1, true)
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(2)
  const problem = 'SENDS_WAIT_FOR_DNC'
  await expect(outbox.sendAnyway({ problem })).rejects.toMatchObject({ code: 'CONFIRMATION_MISMATCH' })
  queueLater()
  await outbox.sendAnyway({ problem, confirmName: 'Live' })
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(3)
  clock.jumpWall(4.5 * hourMs)
  await clock.advance(hourMs)
  expect(sent, 'the choice was about those that could leave then').toHaveLength(3)
  await outbox.sendAnyway({ problem, confirmName: 'Live' })
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(4)
})

test('queued messages wait while inbound messages can’t be read, also those that need no DNC check', async () => {
  const answer = () => Promise.resolve(Response.json({ id: 'm-1', status: 'queued' }))
  const { outbox, network, clock, sent, dnc, inbound } = startAlone(join(tempFolder(), 'state.db'), {
    answer,
  })
  const queue = (at: number, more: { unchecked?: boolean; clearUntilMs?: number } = {}) => {
    const { batchId } = outbox.begin({ kind: 'ott', title: 'Send' })
    outbox.add(batchId, [{ ...message(phoneOf(at), null), ...more }])
    outbox.go()
  }
  inbound.problems = ['inbound.secret']
  queue(0, { unchecked: true })
  queue(1)
  await clock.advance(minuteMs)
  expect(sent).toEqual([])
  expect(outbox.drain()).toMatchObject({ state: 'waiting', problem: { code: 'SENDS_WAIT_FOR_INBOUND' } })
  // An outage leaves the problem from before it unread.
  inbound.problems = ['inbound.list']
  await clock.advance(minuteMs)
  for (let at = 0; at < 2; at++) network.failed(new AppError('SERVICE_UNREACHABLE'))
  expect(outbox.drain().problem).toMatchObject({ code: 'SERVICE_UNREACHABLE' })
  network.answered()
  inbound.problems = ['inbound.secret']
  await clock.advance(minuteMs)
  dnc.isFresh = false
  const choose = (problem: 'SENDS_WAIT_FOR_DNC' | 'inbound.secret' | 'inbound.team') =>
    outbox.sendAnyway({ problem, confirmName: 'Live' })
  // A problem that isn't there can't be accepted for later.
  await choose('inbound.team')
  inbound.problems = ['inbound.secret', 'inbound.team']
  await choose('inbound.secret')
  await clock.advance(minuteMs)
  expect(sent, 'the holds of the team are unread').toEqual([])
  await choose('inbound.team')
  await clock.advance(minuteMs)
  expect(sent, 'the other one lacks the DNC check').toHaveLength(1)
  expect(outbox.drain().problem).toMatchObject({ code: 'SENDS_WAIT_FOR_DNC' })
  await choose('SENDS_WAIT_FOR_DNC')
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(2)

  queue(2, { unchecked: true })
  await clock.advance(minuteMs)
  expect(sent, 'the choice was about the others').toHaveLength(2)
  inbound.problems = []
  outbox.recheck()
  await clock.advance(0)
  expect(sent).toHaveLength(3)

  // Also those whose turn in the rate limit is still to come, at once.
  for (let at = 3; at < 300; at++) queue(at, { unchecked: true })
  await clock.advance(minuteMs / 2)
  expect(outbox.drain().state).toBe('sending')
  inbound.problems = ['inbound.secret']
  outbox.recheck()
  await clock.advance(0)
  expect(outbox.drain()).toMatchObject({ state: 'waiting', etaMs: null })
})

test('a message that the service called clear needs no DNC copy, but only for as long as one counts, and with the key that asked', async () => {
  const { outbox, credentials, clock, sent, dnc } = startAlone(join(tempFolder(), 'state.db'))
  dnc.isFresh = false
  const queue = (at: number) => {
    const { batchId } = outbox.begin({ kind: 'ott', title: 'Send' })
    const clearance = { clearUntilMs: clock.now() + hourMs, clearBy: credentials.identity() }
    outbox.add(batchId, [{ ...message(phoneOf(at), null), ...clearance }])
    outbox.go()
  }
  queue(0)
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(1)
  outbox.pause()
  queue(1)
  await clock.advance(2 * hourMs)
  outbox.resume()
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(1)
  expect(outbox.drain().problem).toMatchObject({ code: 'SENDS_WAIT_FOR_DNC' })
  outbox.pause()
  queue(2)
  credentials.replace('of another tenant')
  outbox.resume()
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(1)
  credentials.replace('key')
  outbox.resume()
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(2)
})

test('asks for a fresh DNC copy right before each request, and keeps the choice to go without for a resent one', async () => {
  const answer = { status: 500 }
  const { outbox, clock, sent, dnc } = startAlone(join(tempFolder(), 'state.db'), {
    answer: () => Promise.resolve(Response.json({ error: 'Oops' }, answer)),
  })
  const queue = (at: number, unchecked: boolean) => {
    const { batchId } = outbox.begin({ kind: 'ott', title: 'Send', unchecked })
    outbox.add(batchId, [message(phoneOf(at), null)])
    outbox.go()
    return batchId
  }
  // Fresh when it is its turn, but no longer when it would leave.
  let looks = 0
  Object.defineProperty(dnc, 'isFresh', { get: () => looks++ === 0 })
  queue(0, false)
  await clock.advance(minuteMs)
  expect(sent).toEqual([])
  const batchId = queue(1, true)
  await clock.advance(minuteMs)
  expect(sent).toHaveLength(1)
  await outbox.resolve({ selection: { filter: { batchId } }, how: 'send-again', confirmName: 'Live' })
  await clock.advance(2 * minuteMs)
  expect(sent).toHaveLength(2)
})

test('a start now with a fresh DNC copy is no choice to send with an old one', async () => {
  const console = startAlone(join(tempFolder(), 'state.db'))
  const { outbox, clock, sent, dnc } = console
  const batchId = queueSend(console, [phoneOf(0)])
  await outbox.setStart({ batchId, at: null, confirmName: 'Live' })
  outbox.pause()
  await clock.advance(26 * hourMs)
  dnc.isFresh = false
  outbox.resume()
  await clock.advance(minuteMs)
  expect(sent).toEqual([])
})

test('keeps each recipient to the hours of their country, at the start and when it is their turn', async () => {
  const file = join(tempFolder(), 'state.db')
  const console = startAlone(file)
  const { outbox, clock, sent } = console
  const batchId = queueSend(console, ['+4915112345678', '+12125550123', '+81312345678'], hours)
  await clock.advance(hourMs + minuteMs)
  // 10:00 UTC: 11:00 in Germany and 19:00 in Japan, but 0:00 in Hawaii.
  expect(sent).toHaveLength(2)
  expect(outbox.drain()).toMatchObject({ nextStart: '2026-01-05T19:00:00.000Z', counts: { scheduled: 1 } })
  const { items } = await outbox.list({ filter: { batchId, states: ['scheduled'] }, limit: 1 })
  expect(items[0]).toMatchObject({ phone: '+12125550123', notBefore: '2026-01-05T19:00:00.000Z' })

  // It is queued at 9:00 in Hawaii, but waits until the hours have ended in New York.
  outbox.pause()
  await clock.advance(9 * hourMs)
  expect(outbox.drain().counts).toMatchObject({ queued: 1 })
  await clock.advance(6 * hourMs + minuteMs)
  outbox.resume()
  await clock.advance(minuteMs)
  expect(outbox.drain()).toMatchObject({ nextStart: '2026-01-06T19:00:00.000Z', counts: { scheduled: 1 } })
  expect(sent).toHaveLength(2)
  await clock.advance(24 * hourMs)
  expect(sent).toHaveLength(3)
})

test('moves what waits for local hours to another start', async () => {
  const console = startAlone(join(tempFolder(), 'state.db'))
  const { outbox, clock, sent } = console
  const batchId = queueSend(console, ['+4915112345678', '+12125550123', '+12125550124'], hours)
  await clock.advance(hourMs + minuteMs)
  const shown = () => outbox.batches({ limit: 1 }).items[0]
  expect(shown()).toMatchObject({ startAt: null, waitsFor: { hours, nextAt: '2026-01-05T19:00:00.000Z' } })
  const at = '2026-01-05T23:00:00.000Z'
  await outbox.setStart({ batchId, at, confirmName: 'Live' })
  expect(shown()).toMatchObject({ startAt: at, waitsFor: null, hours })
  await clock.advance(12 * hourMs)
  expect(sent, 'their hours have begun, but not the new start').toHaveLength(1)
  await clock.advance(hourMs)
  expect(sent).toHaveLength(3)
})

test('does not count a recipient who was skipped as sent to', async () => {
  const console = startAlone(join(tempFolder(), 'state.db'), { isBlocked: true })
  const { outbox, clock, sent } = console
  const batchId = queueSend(console, ['+4915112345678', '+12125550123'], hours)
  await clock.advance(hourMs + minuteMs)
  await outbox.setStart({ batchId, at: '2026-01-05T23:00:00.000Z', confirmName: 'Live' })
  expect(await outbox.undo({ batchId })).toMatchObject({ undone: 1, left: 0 })
  expect(sent).toEqual([])
})

test.each(['ott', 'resend'] as const)('sends nothing more of an undone %s', async (kind) => {
  const { promise: answer, resolve } = Promise.withResolvers<Response>()
  const { outbox, clock, sent } = startAlone(join(tempFolder(), 'state.db'), { answer: () => answer })
  const { batchId } = outbox.begin({ kind, title: 'Send' })
  outbox.add(batchId, [message('+12125550123', hours)])
  outbox.go()
  await clock.advance(minuteMs)
  outbox.add(
    batchId,
    ['+4915112345678', '+4915112345679'].map((phone) => message(phone, hours)),
  )
  outbox.go()
  await outbox.setStart({ batchId, at: '2026-01-05T23:00:00.000Z', confirmName: 'Live' })
  await expect.poll(() => sent).toHaveLength(1)
  expect(await outbox.undo({ batchId })).toMatchObject({ undone: 2, left: 1 })
  resolve(Response.json({}, { status: 429 }))
  await clock.advance(2 * minuteMs)
  expect(sent).toHaveLength(1)
  expect(outbox.countsOf(batchId)).toMatchObject({ cancelled: 3, queued: 0 })
})

test('keeps a moved start when Switchboard was closed while the rest was queued', async () => {
  const file = join(tempFolder(), 'state.db')
  const first = startAlone(file)
  const batchId = queueSend(first, ['+4915112345678', '+12125550123'], hours)
  first.outbox.pause()
  await first.clock.advance(hourMs + minuteMs)
  const at = '2026-01-08T23:00:00.000Z'
  await first.outbox.setStart({ batchId, at, confirmName: 'Live' })
  await first.stop()

  const { outbox, clock } = startAlone(file)
  clock.jumpWall(2 * hourMs + 30 * minuteMs)
  await clock.advance(minuteMs)
  const shown = { startAt: at, startMissed: false, counts: { scheduled: 2, queued: 0 } }
  expect(outbox.batches({ limit: 1 }).items[0]).toMatchObject(shown)
})

test('waits before it looks again for ended hours while nothing can be stored', async () => {
  let [isFull, tries] = [false, 0]
  const console = startAlone(join(tempFolder(), 'state.db'), {
    change: (repository) => ({
      ...repository,
      transaction(work) {
        // Ends, so that this test ends without the wait, too.
        if (isFull && ++tries < 100) throw new AppError('STORAGE_FAILED', { detail: 'for the test' })
        return repository.transaction(work)
      },
    }),
  })
  const { outbox, clock, sent } = console
  queueSend(console, ['+4915112345678'], hours)
  outbox.pause()
  await clock.advance(12 * hourMs)
  isFull = true
  outbox.resume()
  await nextTurn()
  expect(tries).toBe(1)
  isFull = false
  await clock.advance(3_000)
  expect(outbox.drain().counts).toMatchObject({ scheduled: 1 })
  expect(sent).toEqual([])
})

test('waits for a request in flight before it revokes it for good', async () => {
  const reply = Promise.withResolvers<Response>()
  const { outbox, clock, sent } = startAlone(join(tempFolder(), 'state.db'), { answer: () => reply.promise })
  const { batchId } = outbox.begin({ kind: 'ott', title: 'Send' })
  const ids = outbox.add(batchId, [message(phoneOf(0), null), message(phoneOf(1), null)])
  outbox.go()
  await clock.advance(1_000)
  expect(outbox.drain().counts).toMatchObject({ 'in-flight': 1, queued: 1 })
  const revoked = outbox.revoke(ids, new AbortController().signal)
  await clock.advance(1_000)
  reply.resolve(Response.json({}, { status: 500 }))
  await clock.advance(1_000)
  expect(await revoked).toBe(1)
  const resolved = await outbox.resolve({ selection: { filter: {} }, how: 'send-again', confirmName: 'Live' })
  expect(resolved).toMatchObject({ resolved: 0 })
  expect(sent).toHaveLength(1)
})

test('what waits for a DNC copy waits for its hours once these have ended', async () => {
  const console = startAlone(join(tempFolder(), 'state.db'))
  const { outbox, clock, dnc } = console
  dnc.isFresh = false
  const { batchId } = outbox.begin({ kind: 'ott', title: 'Send' })
  outbox.add(batchId, [message('+4915112345678', hours)])
  outbox.go()
  await clock.advance(minuteMs)
  expect(outbox.drain()).toMatchObject({ state: 'waiting', counts: { queued: 1 } })
  await clock.advance(11 * hourMs)
  expect(outbox.drain()).toMatchObject({ state: 'idle', problem: null, counts: { scheduled: 1, queued: 0 } })
})

test.each(['SENDS_WAIT_FOR_DNC', 'inbound.secret'] as const)(
  'a choice to send despite %s ends with the hours of that day',
  async (problem) => {
    const { outbox, clock, sent, dnc, inbound } = startAlone(join(tempFolder(), 'state.db'))
    const { batchId } = outbox.begin({ kind: 'ott', title: 'Send' })
    outbox.add(batchId, [message('+4915112345678', hours)])
    if (problem === 'SENDS_WAIT_FOR_DNC') dnc.isFresh = false
    else inbound.problems = ['inbound.secret']
    outbox.go()
    await clock.advance(minuteMs)
    outbox.pause()
    await outbox.sendAnyway({ problem, confirmName: 'Live' })
    await clock.advance(11 * hourMs)
    outbox.resume()
    await clock.advance(minuteMs)
    expect(outbox.drain().counts).toMatchObject({ scheduled: 1, queued: 0 })
    await clock.advance(14 * hourMs)
    expect(sent).toEqual([])
  },
)
