import { describe, expect, it, test } from 'vitest'
import type { ErrorData } from '#contract/errors.ts'
import type { PhraseKey } from '#contract/phrases.ts'
import type { OutboxState } from '#contract/people/outbox.ts'
import { idleDrain, outboxCounts } from '../../../../helpers/scripted/outbox.ts'
import {
  batchParts,
  batchText,
  drainLook,
  drainWithin,
  outcomeText,
  paceText,
  totalIn,
} from '../../../../../renderer/src/features/outbox/outbox-words.ts'
import { requestLook } from '../../../../../renderer/src/shared/format/status.ts'
import { waitLink } from '../../../../../renderer/src/shared/people/outbox-wait.ts'

describe('the text of a batch', () => {
  it.each<[string, Parameters<typeof outboxCounts>[0], string, Partial<Parameters<typeof batchText>[0]>?]>([
    [
      'starts with what needs a decision',
      { done: 1_460, rejected: 14, unknown: 6, queued: 920 },
      '6 unconfirmed, 14 rejected, 920 queued, 1,460 done',
    ],
    ['names what is scheduled apart', { scheduled: 3, undoable: 1, queued: 2 }, '3 scheduled, 3 queued'],
    [
      'counts what Switchboard held back apart from what the service rejected',
      { done: 2, rejected: 8, 'not-sent': 1 },
      '8 rejected, 1 skipped, 2 done',
    ],
    ['says that it was undone', { cancelled: 111 }, 'undone', { undone: true }],
    ['names unconfirmed ones', { cancelled: 110, unknown: 1 }, '1 unconfirmed, 110 undone', { undone: true }],
    [
      'says how many were undone, and what the others are',
      { cancelled: 5, done: 4, 'sent-again': 1 },
      '4 done, 1 resent, 5 undone',
      { undone: true },
    ],
    ['says why it has no requests', {}, 'nothing to send (local only)', { kind: 'delete' }],
  ])('%s', (_rule, some, text, of = {}) => {
    expect(batchText({ kind: 'push', undone: false, ...of, counts: outboxCounts(some) })).toBe(text)
  })

  it('gives each outcome its share of the bar', () => {
    expect(batchParts({ counts: outboxCounts({ done: 10, rejected: 1 }) })).toEqual([
      { tone: 'ok', count: 10 },
      { tone: 'bad', count: 1 },
    ])
    expect(batchParts({ counts: outboxCounts({ cancelled: 111 }) })).toEqual([{ tone: 'quiet', count: 111 }])
  })
})

test.each<[string, ErrorData[string]]>([
  ['On hold: “stop”', { key: 'dnc.held', evidence: 'stop' }],
  ['On DNC list: “complaint”', 'complaint'],
  ['No reason given', { key: 'dnc.noReason' }],
])('says why a request was skipped: %s', (text, reason) => {
  const data = { phone: '+447911000499', reason }
  expect(
    outcomeText({
      operation: 'send-ott',
      state: 'rejected',
      phone: data.phone,
      resolution: null,
      problem: { code: 'ON_DNC', acted: 'no', data },
    } as never),
  ).toBe(text)
})

test('says that an unconfirmed message was probably sent, by its delivery report', () => {
  const item = {
    operation: 'send-ott',
    state: 'unknown',
    phone: '+447911000499',
    resolution: null,
    problem: null,
  }
  const report = {
    id: 1,
    phone: item.phone,
    messageId: 'm',
    status: 'delivered',
    receivedAt: '2026-11-29T14:02:00Z',
    blocked: false,
  }
  const say = (state: string, blocked: 'dnc' | null = null) =>
    outcomeText({ ...item, state, serviceId: null, serviceStatus: null } as never, blocked, report)
  expect(say('unknown')).toMatch(/^Probably sent: Delivered 29 Nov, \d\d:02$/)
  expect(say('unknown', 'dnc')).toMatch(/^On the DNC list\. Probably sent/)
  expect(say('done')).toBe('')
})

describe('the text of the sending state', () => {
  it.each([
    ['paused', 'Nothing is sent until you resume.'],
    ['offline', 'Queued requests continue automatically.'],
    ['signed-out', 'Sign in to continue.'],
    ['rate-limited', 'Rate limit reached.'],
  ] as const)('says why nothing is sent while %s', (state, reason) => {
    const look = drainLook(
      { state, counts: outboxCounts({ queued: 2 }), heldUntil: null, nextStart: null },
      0,
    )
    expect(look.reason).toContain(reason)
  })

  it('gives the pace and the time left, but no second countdown while rate limited', () => {
    const pace = { ratePerMinute: 148, etaMs: 13_000 }
    expect(paceText({ state: 'sending', ...pace })).toBe('148/min · 13 s left')
    expect(paceText({ state: 'rate-limited', ...pace })).toBe('')
  })

  it('says that messages wait, and where to end the wait for inbound messages', () => {
    const waiting = (code: 'SENDS_WAIT_FOR_DNC' | 'SENDS_WAIT_FOR_INBOUND', key: PhraseKey) => {
      const problem = { code, acted: 'no' as const, data: { state: { key } } }
      const drain = { state: 'waiting' as const, problem, counts: outboxCounts({ queued: 2 }) }
      expect(drainLook({ ...drain, heldUntil: null, nextStart: null }, 0).label).toBe('Waiting')
      return waitLink(drain)?.label
    }
    expect(waiting('SENDS_WAIT_FOR_DNC', 'dnc.unreadable')).toBe('Do not contact')
    expect(waiting('SENDS_WAIT_FOR_INBOUND', 'inbound.checking')).toBeUndefined()
    expect(waiting('SENDS_WAIT_FOR_INBOUND', 'inbound.secret')).toBe('Signing secrets')
    expect(waiting('SENDS_WAIT_FOR_INBOUND', 'inbound.relay')).toBe('Listener settings')
    expect(waiting('SENDS_WAIT_FOR_INBOUND', 'inbound.team')).toBe('Team')
    expect(waiting('SENDS_WAIT_FOR_INBOUND', 'inbound.subscription')).toBe('New subscription')
    expect(waiting('SENDS_WAIT_FOR_INBOUND', 'inbound.list')).toBe('Webhooks')
  })

  it('does not claim completion while a request is unconfirmed', () => {
    const { label, reason } = drainLook(
      { state: 'idle', counts: outboxCounts({ done: 4, unknown: 11 }), heldUntil: null, nextStart: null },
      0,
    )
    expect(label).toBe('Idle')
    expect(reason).toBe('Nothing queued.')
  })

  it.each([
    [{ 'not-sent': 1, held: 35 }, 'Nothing queued.'],
    [{ done: 4, 'not-sent': 1, held: 35 }, 'Nothing queued.'],
  ])('names skipped requests in their batch only: %j', (some, reason) => {
    const drain = { state: 'idle' as const, counts: outboxCounts(some), heldUntil: null, nextStart: null }
    expect(drainLook(drain, 0).reason).toBe(reason)
  })

  it('is never “Idle” while a request waits', () => {
    const idle = (of: Partial<Record<OutboxState, number>>) =>
      drainLook({ state: 'idle', counts: outboxCounts(of), heldUntil: null, nextStart: null }, 0)
    expect(idle({ blocked: 1, unknown: 1 })).toMatchObject({
      label: 'Needs attention',
      reason: '1 request waits for an unconfirmed one. Resolve that first.',
    })
    expect(idle({ undoable: 7 })).toMatchObject({
      label: 'Can be undone',
      reason: '7 requests are queued. Nothing is sent until the batch is complete.',
    })
    expect(idle({ scheduled: 3 })).toMatchObject({
      label: 'Scheduled',
      reason: '3 requests weren’t sent in time. Choose what to do below.',
    })
    const between = idleDrain({ counts: outboxCounts({ queued: 2, done: 3 }) })
    expect(drainLook({ ...between, state: 'sending' }, 0, false)).toMatchObject({
      tone: 'quiet',
      label: 'Unknown',
      reason: 'Disconnected. Sending may have stopped.',
    })
    expect(drainWithin(between, true).state).toBe('sending')
    expect(drainWithin(between, false).state).toBe('offline')
  })

  it('counts the matches of a state filter like the figures beside it', () => {
    const some = outboxCounts({ done: 4, unknown: 2, queued: 1 })
    expect(totalIn(some, {})).toBe(7)
    expect(totalIn(some, { states: ['done', 'queued'] })).toBe(5)
    expect(totalIn(some, { states: ['done'], text: 'ada' })).toBeNull()
  })

  it('says when all requests completed', () => {
    expect(
      drainLook(
        { state: 'idle', counts: outboxCounts({ done: 4, rejected: 1 }), heldUntil: null, nextStart: null },
        0,
      ).reason,
    ).toBe('All requests completed.')
  })

  it('says how many are in the undo window, and until when', () => {
    const held = (count: number, leftMs: number) =>
      drainLook(
        {
          state: 'idle',
          counts: outboxCounts({ undoable: count, done: 2 }),
          heldUntil: new Date(60_000 + leftMs).toISOString(),
          nextStart: null,
        },
        60_000,
      )
    expect(held(5, 12_400)).toMatchObject({
      label: 'Can be undone',
      reason: '5 requests can be undone. Sending starts in 13 s.',
    })
    expect(held(1, -300).reason).toBe('1 request waits. Sending starts now.')
  })
})

it('names a resolved request by its resolution', () => {
  const look = (resolution: Parameters<typeof requestLook>[0]['resolution']) =>
    requestLook({ state: 'cancelled', resolution, problem: null }).label
  expect([look(null), look('discarded'), look('sent-again')]).toEqual(['Cancelled', 'Discarded', 'Resent'])
  expect(requestLook({ state: 'done', resolution: 'marked-done', problem: null }).label).toBe('Done')
  const refused = (data: ErrorData) =>
    requestLook({ state: 'rejected', resolution: null, problem: { code: 'ON_DNC', acted: 'no', data } }).label
  const held = { key: 'dnc.held', evidence: 'asked' } as const
  expect([refused({ reason: 'asked' }), refused({ reason: held })]).toEqual(['On DNC list', 'On hold'])
})
