import { expect, test } from 'vitest'
import { outboxCounts } from '../../../../helpers/scripted/outbox.ts'
import {
  endText,
  leftText,
  mayHaveLeft,
  outcomeFigures,
  progressLook,
  templateWarning,
} from '../../../../../renderer/src/features/templates/send-words.ts'

test('warns of templates that are missing, possibly deleted, or in a status that can’t be sent', () => {
  expect(templateWarning({ state: 'known', status: 'active' }, ['active'])).toBeNull()
  expect(templateWarning({ state: 'known', status: null }, ['active'])).toBeNull()
  expect(templateWarning({ state: 'known', status: 'approved' }, ['active'])).toContain('“approved”')
  expect(templateWarning({ state: 'known', status: 'approved' }, ['active', 'approved'])).toBeNull()
  expect(templateWarning({ state: 'not-found', status: 'active' }, ['active'])).toContain('rejected')
  expect(templateWarning({ state: 'deletion-unknown', status: 'active' }, ['active'])).toContain('deletion')
})

test('says when the last message leaves, not how long sending takes, if it waits for a start or for hours', () => {
  const at = (hour: number) => new Date(2036, 0, 5, hour).toISOString()
  const hours = { fromMinute: 540, toMinute: 1_200 }
  const end = (send: object, lastAt: string | null) => endText({ send, lastAt, etaMs: 10_000 } as never)
  expect(end({ startAt: null, hours: null }, at(9))).toBe('Takes about 10 s at the rate limit')
  expect(end({ startAt: null, hours }, at(9))).toBe('Last message: 05 Jan, 09:00')
  expect(end({ startAt: at(8), hours: null }, null)).toBe('')
  const waitsFor = { hours, nextAt: at(9), lastAt: at(10) }
  const left = (more: object, state = 'sending') =>
    leftText(2, {
      send: { state: 'queued', hours: null },
      drain: { state },
      etaMs: 10_000,
      waitsFor: null,
      ...more,
    } as never)
  expect(left({ waitsFor, lastAt: at(11) })).toBe(
    '2 left, within local hours 09:00 – 20:00. Next: 05 Jan, 09:00. Last: about 05 Jan, 11:00.',
  )
  const inUndoWindow = { send: { state: 'queued', hours } }
  expect([left({}), left({}, 'offline'), left(inUndoWindow)]).toEqual([
    '2 left, about 10 s',
    '2 left',
    '2 left',
  ])
})

test.each<
  [
    string,
    string,
    { queued?: number; undoableUntil?: number; state?: string; again?: number; isConnected?: boolean },
  ]
>([
  ['Sending, 3 of 5', 'sending', {}],
  ['Sending, 3 of 5', 'idle', {}],
  ['Sending, 3 of 9', 'sending', { again: 4 }],
  ['Waits for the service', 'offline', {}],
  ['Outbox paused', 'paused', {}],
  ['Waiting', 'waiting', {}],
  ['Starts in 17 s', 'paused', { undoableUntil: 17_000 }],
  ['Waits until 05 Jan, 09:00', 'offline', { queued: 0 }],
  ['Queueing…', 'sending', { state: 'queueing' }],
  ['Unknown while disconnected', 'sending', { isConnected: false }],
])(
  'says of a send: %s (outbox %s, %o)',
  (label, drain, { queued = 1, undoableUntil = 0, state = 'queued', again = 0, isConnected = true }) => {
    const nextAt = new Date(2036, 0, 5, 9).toISOString()
    const send = { state, undoableUntil: new Date(undoableUntil).toISOString() }
    const outcome = outboxCounts({
      queued,
      scheduled: 1,
      done: 2,
      unknown: 1,
      cancelled: 4,
      'sent-again': again,
    })
    const shown = { send, outcome, waitsFor: { nextAt }, drain: { state: drain } }
    expect(progressLook(shown as never, 0, isConnected).label).toBe(label)
  },
)

test('counts what Switchboard held back apart from what the service rejected', () => {
  const outcome = outboxCounts({ done: 9, 'not-sent': 1, held: 3, cancelled: 3 })
  const figures = outcomeFigures({ outcome, notSent: { dnc: 1, held: 3, erased: 2 } })
  expect(figures.map(({ look, count }) => `${look.label} ${count}`)).toEqual([
    'Done 9',
    'Cancelled 1',
    'On DNC list 1',
    'On hold 3',
    'Erased 2',
  ])
})

test.each([
  ['queued', {}, true],
  ['scheduled', { scheduled: 2 }, false],
  ['scheduled', { scheduled: 1, done: 1 }, true],
  ['start-missed', { scheduled: 1, unknown: 1 }, true],
  ['rejected', { rejected: 2 }, false],
  ['undone', { cancelled: 2 }, false],
])('knows whether messages of a send that is %s may have left: %o', (state, counts, may) => {
  expect(mayHaveLeft({ send: { state }, outcome: outboxCounts(counts) } as never)).toBe(may)
})
