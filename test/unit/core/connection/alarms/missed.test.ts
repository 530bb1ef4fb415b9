import { expect, test } from 'vitest'
import { createMissedRule, type MissedLook } from '#electron/core/connection/alarms/missed.ts'

/** An event or report in a minute, and what holds from a minute on. */
interface Course {
  /** Minutes in which an event arrives, as a report unless it is an inbound message. */
  events?: number[]
  inbound?: number[]
  /** Length in minutes; 20 without it. */
  until?: number
  /** No looks between these minutes. */
  asleep?: [from: number, to: number]
  from: [minute: number, now: Partial<MissedLook>][]
}

const dayMs = Date.UTC(2026, 0, 5)
const ms = (minutes: number) => Math.round(minutes * 60_000)
const at = (minutes: number) => dayMs + ms(minutes)

/** The recorded times, in minutes, of looks every 10 s. */
function recorded({ events = [], inbound = [], until = 20, asleep = [0, 0], from }: Course): string[] {
  const rule = createMissedRule(at(0))
  const all = [...events, ...inbound].toSorted((a, b) => a - b)
  const arrived = all.map((minute, index) => ({
    seq: index + 1,
    atMs: at(minute),
    kind: inbound.includes(minute) ? 'mo' : 'dlr',
  }))
  const times = new Map<number, string>()
  for (let minute = 1 / 6; minute <= until; minute += 1 / 6) {
    if (minute > asleep[0] + 0.001 && minute < asleep[1] - 0.001) continue
    const now = from.findLast(([since]) => since <= minute + 0.001)?.[1] ?? {}
    const known = arrived.filter(({ atMs }) => atMs <= at(minute))
    const missed = rule({
      atMs: ms(minute),
      nowMs: at(minute),
      receiving: true,
      silence: null,
      sentSinceMs: null,
      isOut: false,
      event: known.at(-1) ?? null,
      report: known.findLast(({ kind }) => kind === 'dlr') ?? null,
      subscribedMs: null,
      answeredMs: now.isOut ? null : at(minute),
      firstAfter: (seq, kind) =>
        known.find((one) => one.seq > seq && (kind === 'any' || one.kind === 'dlr'))?.atMs ?? null,
      ...now,
    })
    const minuteOf = (timeMs: number) => Math.round((timeMs - dayMs) / 6_000) / 10
    if (missed) {
      expect([missed.fromMs, missed.untilMs].filter((time) => !Number.isInteger(time))).toEqual([])
      times.set(
        missed.fromMs,
        `${minuteOf(missed.fromMs)} to ${missed.lasts ? 'now' : minuteOf(missed.untilMs)}: ${missed.reason}`,
      )
    }
  }
  return [...times.values()]
}

const noReports = { silence: 'no-reports' as const }
const noSubscription = { silence: 'no-subscription' as const }
const out = { isOut: true, answeredMs: at(5) }
const awake = {}

test.each<[when: string, course: Course, expected: string[]]>([
  ['nothing is wrong', { events: [1, 2, 12], from: [] }, []],
  ['reports stop: from the last one', { events: [1, 3], from: [[6, noReports]] }, ['3 to now: no-reports']],
  [
    'messages are sent after a quiet time: from the first ones',
    { events: [1, 3], from: [[16, { ...noReports, sentSinceMs: at(14) + 0.3 }]] },
    ['14 to now: no-reports'],
  ],
  [
    'reports come again: up to the first one',
    {
      events: [1, 3, 9.9, 9.95, 11],
      from: [
        [6, noReports],
        [10, awake],
      ],
    },
    ['3 to 9.9: no-reports'],
  ],
  [
    'only inbound messages arrive meanwhile',
    { events: [1, 3], inbound: [4, 7, 8], from: [[6, noReports]] },
    ['3 to now: no-reports'],
  ],
  ['no report ever came: from the start', { from: [[6, noReports]] }, ['0 to now: no-reports']],
  [
    'the subscription is gone: from the last list that showed it',
    { events: [1], from: [[6, { ...noSubscription, subscribedMs: at(5) }]] },
    ['5 to now: no-subscription'],
  ],
  [
    'a subscription is made and nothing is sent: up to the list that shows it',
    {
      events: [1],
      from: [
        [6, noSubscription],
        [10, { subscribedMs: at(9.5) }],
      ],
    },
    ['1 to 9.5: no-subscription'],
  ],
  [
    'a subscription is made and reports are still due: up to the first report',
    {
      events: [1, 12],
      from: [
        [6, noSubscription],
        [9, noReports],
        [12, awake],
      ],
    },
    ['1 to 12: no-reports'],
  ],
  [
    'the service doesn’t answer: from its last answer to the next',
    {
      events: [1],
      from: [
        [7, out],
        [12, { answeredMs: at(11.9) }],
      ],
    },
    ['5 to 11.9: service-unreachable'],
  ],
  [
    'the service doesn’t answer, but events arrive: none, also after the last',
    { events: [5, 6, 7, 8], from: [[7, out]] },
    [],
  ],
  [
    'an event arrives before the answer',
    {
      events: [1, 9.5],
      from: [
        [7, out],
        [12, awake],
      ],
    },
    ['5 to 9.5: service-unreachable'],
  ],
  ['nothing can be received', { from: [[6, { ...noSubscription, ...out, receiving: false }]] }, []],
  [
    'the listener stops and starts meanwhile: only the time around',
    {
      events: [1],
      from: [
        [6, noReports],
        [8, { receiving: false }],
        [10, noReports],
      ],
    },
    ['1 to 7.8: no-reports', '9.8 to now: no-reports'],
  ],
  [
    'the computer sleeps meanwhile: only the time around',
    { events: [1], asleep: [8, 10], from: [[6, noReports]] },
    ['1 to 8: no-reports', '10 to now: no-reports'],
  ],
  [
    'an outage is followed by silence: each time once',
    {
      events: [1],
      from: [
        [7, out],
        [12, { answeredMs: at(12) }],
        [15, noReports],
      ],
    },
    ['5 to 12: service-unreachable', '12 to now: no-reports'],
  ],
])('records what is missed when %s', (_when, course, expected) => {
  expect(recorded(course)).toEqual(expected)
})
