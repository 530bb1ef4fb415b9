import { expect, test } from 'vitest'
import { createSilenceRule, type Finding, type Look } from '#electron/core/connection/alarms/silence.ts'

const minutes = 6
const lookMs = 10_000

/** What changes at a look; counts are per look. */
interface Now {
  reports?: number
  /** Inbound messages. */
  inbound?: number
  campaigns?: number
  /** The count is the one of the look before. */
  isCountOld?: boolean
  receiving?: boolean
  reportsDue?: boolean
  /** Subscriptions that point to Switchboard, read at this look; null: unknown. */
  leading?: number | null
  /** Time without a look, as in a sleep. */
  asleepMs?: number
}

/** Looks every 10 s, with one subscription that points to Switchboard and counts read at each look. Gives the finding after each. */
function watching() {
  const rule = createSilenceRule()
  let look: Look = {
    atMs: 0,
    receiving: true,
    lastReport: 0,
    lastDelivery: 0,
    reportsDue: true,
    leading: { count: 1, atMs: 0 },
    sent: [],
  }
  let sent = 7_000
  return function forMinutes(length: number, now: Now = {}): (Finding | null)[] {
    const found: (Finding | null)[] = []
    for (let at = 0; at < length * minutes; at++) {
      const { reports = 0, inbound = 0, leading, asleepMs = 0 } = now
      const atMs = look.atMs + lookMs + asleepMs
      const lastDelivery = look.lastDelivery + reports + inbound
      sent += now.campaigns ?? 0
      look = {
        atMs,
        receiving: now.receiving ?? true,
        lastReport: reports > 0 ? lastDelivery : look.lastReport,
        lastDelivery,
        reportsDue: now.reportsDue ?? true,
        leading: leading === undefined ? look.leading : leading === null ? null : { count: leading, atMs },
        sent: now.isCountOld ? look.sent : [{ source: 'campaigns', count: sent, atMs }],
      }
      found.push(rule(look).finding)
    }
    return found
  }
}

const traffic = { campaigns: 33, reports: 60, inbound: 1 }
const sending = { campaigns: 33 }
const last = (found: (Finding | null)[]) => found.at(-1)?.kind ?? null
const minutesUntil = (found: (Finding | null)[]) => Math.floor((found.findIndex(Boolean) + 1) / minutes)

test.each<[when: string, before: [number, Now][], then: Now]>([
  ['a quiet night after traffic', [[60, traffic]], {}],
  ['events arrive', [[60, traffic]], traffic],
  [
    'campaigns pause with a few messages under way',
    [
      [60, traffic],
      [0.2, { campaigns: 20 }],
    ],
    {},
  ],
  [
    'messages were sent between the last count and the last report',
    [
      [60, traffic],
      [0.1, { campaigns: 100, reports: 60, isCountOld: true }],
    ],
    {},
  ],
  ['nothing can be received', [[60, traffic]], { ...sending, receiving: false }],
  ['only inbound messages are subscribed', [[60, { inbound: 1 }]], { ...sending, reportsDue: false }],
  ['the machine sleeps between looks', [[60, traffic]], { ...sending, asleepMs: 100_000 }],
  [
    'a list without a subscription is read once',
    [
      [60, traffic],
      [0.1, { leading: 0 }],
    ],
    { leading: 1 },
  ],
  ['the list becomes unreadable', [[60, traffic]], { ...traffic, leading: null }],
  [
    'deliveries arrive through a subscription that is not listed',
    [[60, traffic]],
    { ...traffic, leading: 0 },
  ],
  [
    'deliveries came through one that is not listed, before a time when none could',
    [
      [60, traffic],
      [1, { ...traffic, leading: 0 }],
      [0.2, { leading: 0, receiving: false }],
    ],
    { leading: 0 },
  ],
])('is no silence when %s', (_when, before, then) => {
  const forMinutes = watching()
  const found = [...before, [60, then] as const].flatMap(([length, now]) => forMinutes(length, now))
  expect(found.slice(-60 * minutes).every((one) => one === null)).toBe(true)
})

test.each<[when: string, before: [number, Now][], then: Now, kind: string, after: number]>([
  ['messages are sent and no report comes', [[60, traffic]], sending, 'no-reports', 2],
  ['only inbound messages arrive meanwhile', [[60, traffic]], { ...sending, inbound: 1 }, 'no-reports', 2],
  ['it just started and knows no usual wait', [], sending, 'no-reports', 10],
  [
    'a quiet night was before',
    [
      [60, traffic],
      [600, {}],
    ],
    sending,
    'no-reports',
    10,
  ],
  [
    'reports took 4 minutes before',
    [
      [4, sending],
      [0.2, traffic],
    ],
    sending,
    'no-reports',
    7,
  ],
  [
    'the last report came after a sleep',
    [
      [60, traffic],
      [0.5, sending],
      [0.1, { ...traffic, asleepMs: 600_000 }],
    ],
    sending,
    'no-reports',
    2,
  ],
  [
    'a count starts over',
    [
      [60, traffic],
      [0.2, { campaigns: -200_000 }],
    ],
    sending,
    'no-reports',
    2,
  ],
  ['messages are few', [[60, traffic]], { campaigns: 1 }, 'no-reports', 10],
  ['no subscription is listed', [[60, traffic]], { leading: 0 }, 'no-subscription', 0],
  [
    'one is gone while deliveries are repeated',
    [
      [60, traffic],
      [0.4, { ...traffic, leading: 0 }],
    ],
    { leading: 0 },
    'no-subscription',
    0,
  ],
  [
    'reports stop that came through a subscription that is not listed',
    [
      [60, traffic],
      [1, { ...traffic, leading: 0 }],
    ],
    { ...sending, leading: 0, reportsDue: false },
    'no-reports',
    2,
  ],
  ['none was ever made', [], { leading: 0 }, 'no-subscription', 0],
])('is silence when %s', (_when, before, then, kind, after) => {
  const forMinutes = watching()
  for (const [length, now] of before) forMinutes(length, now)
  const found = forMinutes(20, then)
  expect(last(found)).toBe(kind)
  expect(minutesUntil(found)).toBe(after)
})

test.each([
  ['the last report', 0, 60],
  ['the last readings of a quiet time', 600, 660],
])('no reports: messages were sent since %s', (_what, quiet, minute) => {
  const forMinutes = watching()
  forMinutes(60, traffic)
  forMinutes(quiet)
  const since = forMinutes(20, sending).at(-1) as { sinceMs: number }
  expect(Math.round(since.sinceMs / 60_000)).toBe(minute)
})

test('says after one list without a subscription that it awaits another', () => {
  const rule = createSilenceRule()
  const usual = { receiving: true, lastReport: 1, lastDelivery: 1, reportsDue: true, sent: [] }
  const listed = (atMs: number, count: number) => rule({ ...usual, atMs, leading: { count, atMs } })
  expect(listed(0, 1)).toMatchObject({ isUnconfirmed: false, finding: null })
  expect(listed(10_000, 0)).toMatchObject({ isUnconfirmed: true, finding: null })
  expect(listed(20_000, 0)).toMatchObject({ isUnconfirmed: false, finding: { kind: 'no-subscription' } })
})

test('ends with the next report, and with a subscription', () => {
  const forMinutes = watching()
  forMinutes(60, traffic)
  expect(last(forMinutes(5, sending))).toBe('no-reports')
  expect(last(forMinutes(0.2, traffic))).toBeNull()
  expect(last(forMinutes(1, { leading: 0 }))).toBe('no-subscription')
  expect(last(forMinutes(0.2, { leading: 1 }))).toBeNull()
})

test('waits no longer because a subscription was missing, and at most half an hour', () => {
  const forMinutes = watching()
  forMinutes(60, traffic)
  forMinutes(15, { ...sending, leading: 0 })
  forMinutes(1, { ...traffic, leading: 1 })
  expect(minutesUntil(forMinutes(5, sending))).toBe(2)
  forMinutes(60, sending)
  forMinutes(1, traffic)
  expect(minutesUntil(forMinutes(40, sending))).toBe(30)
})
