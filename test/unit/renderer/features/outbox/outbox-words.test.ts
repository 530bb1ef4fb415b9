import { describe, expect, it } from 'vitest'
import type { OutboxDrain, OutboxState } from '#contract/outbox.ts'
import {
  batchParts,
  batchText,
  drainLook,
  drainWithin,
  itemLook,
  totalIn,
  waitingIn,
} from '../../../../../renderer/src/features/outbox/outbox-words.ts'

const counts = (some: Partial<Record<OutboxState, number>>): Record<OutboxState, number> => ({
  'held-back': 0,
  queued: 0,
  blocked: 0,
  'in-flight': 0,
  done: 0,
  rejected: 0,
  unknown: 0,
  cancelled: 0,
  ...some,
})

describe('the words of a batch', () => {
  it('say first what needs a person', () => {
    expect(
      batchText({
        kind: 'push',
        counts: counts({ done: 1_460, rejected: 14, unknown: 6, queued: 920 }),
        takenBack: false,
      }),
    ).toBe('6 unknown, 14 rejected, 920 to send, 1,460 done')
  })

  it('count an item that is in flight once', () => {
    const inFlight = counts({ 'in-flight': 11 })
    expect(waitingIn(inFlight)).toBe(0)
    expect(batchText({ kind: 'push', counts: inFlight, takenBack: false })).toBe('11 in flight')
  })

  it('say of one that was taken back that it was, and what of it is still in doubt', () => {
    const cancelled = { kind: 'delete', takenBack: true } as const
    expect(batchText({ ...cancelled, counts: counts({ cancelled: 111 }) })).toBe('taken back')
    expect(batchText({ ...cancelled, counts: counts({ cancelled: 110, unknown: 1 }) })).toBe(
      'taken back, 1 unknown',
    )
  })

  it('say of a deletion without requests why it has none', () => {
    expect(batchText({ kind: 'delete', counts: counts({}), takenBack: false })).toBe(
      'nothing to send: they were only here',
    )
  })

  it('give each outcome its share of the bar', () => {
    expect(batchParts({ counts: counts({ done: 10, rejected: 1 }) })).toEqual([
      { tone: 'ok', count: 10 },
      { tone: 'bad', count: 1 },
    ])
    expect(batchParts({ counts: counts({ cancelled: 111 }) })).toEqual([{ tone: 'quiet', count: 111 }])
  })
})

describe('the words of sending', () => {
  it('do not say that everything was answered while an outcome is unknown', () => {
    const { label, reason } = drainLook(
      { state: 'idle', counts: counts({ done: 4, unknown: 11 }), heldUntil: null },
      0,
    )
    expect(label).toBe('Nothing to send')
    expect(reason).not.toContain('answered')
    expect(reason).toContain('11 requests of unknown outcome wait for you')
  })

  it('never say that there is nothing to send while something waits', () => {
    const idle = (of: Partial<Record<OutboxState, number>>) =>
      drainLook({ state: 'idle', counts: counts(of), heldUntil: null }, 0)
    expect(idle({ blocked: 1, unknown: 1 })).toMatchObject({
      label: 'Waiting for you',
      reason: '1 request waits for another whose outcome is not known: settle that one first.',
    })
    expect(idle({ 'held-back': 7 })).toMatchObject({
      label: 'Held back',
      reason: '7 requests are held back. Nothing of a batch leaves while it is being put together.',
    })
    const between: OutboxDrain = {
      state: 'idle',
      problem: null,
      counts: counts({ queued: 2, done: 3 }),
      ratePerMinute: null,
      etaMs: null,
      heldUntil: null,
      deletions: [],
      asOf: '2026-11-22T00:00:00.000Z',
    }
    expect(drainWithin(between, true).state).toBe('sending')
    expect(drainWithin(between, false).state).toBe('offline')
  })

  it('count what a filter of states matches as the figures beside it do', () => {
    const some = counts({ done: 4, unknown: 2, queued: 1 })
    expect(totalIn(some, {})).toBe(7)
    expect(totalIn(some, { states: ['done', 'queued'] })).toBe(5)
    expect(totalIn(some, { states: ['done'], text: 'ada' })).toBeNull()
  })

  it('say that everything was answered where it was', () => {
    expect(
      drainLook({ state: 'idle', counts: counts({ done: 4, rejected: 1 }), heldUntil: null }, 0).reason,
    ).toBe('Everything that was queued has been answered.')
  })

  it('say of what is held back how much it is, when it leaves, and that it can be undone', () => {
    const held = (count: number, leftMs: number) =>
      drainLook(
        {
          state: 'idle',
          counts: counts({ 'held-back': count, done: 2 }),
          heldUntil: new Date(60_000 + leftMs).toISOString(),
        },
        60_000,
      )
    expect(held(5, 12_400)).toMatchObject({
      label: 'Held back',
      reason: '5 requests are held back. The first leaves in 13 s; until then its batch can be undone.',
    })
    expect(held(1, -300).reason).toBe('1 request is held back. The first leaves now.')
  })
})

it('an item that a person settled is called by what they did, not as if it had never left', () => {
  const look = (resolution: Parameters<typeof itemLook>[0]['resolution']) =>
    itemLook({ state: 'cancelled', resolution }).label
  expect([look(null), look('discarded'), look('sent-again')]).toEqual([
    'Cancelled',
    'Discarded',
    'Sent again',
  ])
  expect(itemLook({ state: 'done', resolution: 'marked-done' }).label).toBe('Done')
})
