import { describe, expect, test } from 'vitest'
import type { Gap } from '#contract/live/events.ts'
import {
  arrivalText,
  delayText,
  eventSays,
  gapMeaning,
  gapText,
  readableBody,
} from '../../../../../renderer/src/features/events/event-text.ts'
import { copiesText, errorSays, eventLook } from '../../../../../renderer/src/shared/events/event-words.ts'
import { row } from './event-record.ts'

const local = (hour: number, minute: number, second = 0, ms = 0, day = 5) =>
  new Date(2026, 0, day, hour, minute, second, ms)

describe('a row of the list', () => {
  test('has the icon and label of its status; an unknown status is its own label', () => {
    expect(eventLook(row(1)).label).toBe('Delivered')
    expect(eventLook(row(1, { status: 'on_hold' })).label).toBe('on_hold')
    expect(eventLook(row(1, { status: 'bad\u202Ename' })).label).toBe('bad[U+202E]name')
    expect(eventLook(row(1, { kind: 'mo', status: null })).label).toBe('Inbound')
  })

  test('shows the inbound text, the meaning of the error, or the quarantine reason', () => {
    expect(eventSays(row(1))).toBe('')
    expect(eventSays(row(1, { status: 'failed', errorCode: 3 }))).toBe('Code 3: Insufficient balance')
    expect(eventSays(row(1, { kind: 'mo', content: 'a\u202Eb\u0007' }))).toBe('a[U+202E]b[BEL]')
    expect(eventSays(row(1, { kind: 'quarantined', quarantineReason: 'no JSON' }))).toBe('no JSON')
  })

  test('truncates a very long text', () => {
    expect(eventSays(row(1, { kind: 'mo', content: 'x'.repeat(5_000) })).length).toBeLessThan(300)
  })

  test('has no meaning for a code outside the spec', () => {
    expect(errorSays(17)).toBe('Code 17')
  })
})

describe('times', () => {
  test('have milliseconds, and the day unless it is today', () => {
    const nowMs = local(15, 0).getTime()
    expect(arrivalText(local(14, 2, 3, 45).toISOString(), nowMs)).toBe('14:02:03.045')
    expect(arrivalText(local(14, 2, 3, 45, 4).toISOString(), nowMs)).toBe('04 Jan 14:02:03.045')
    expect(arrivalText('soon', nowMs)).toBe('soon')
  })

  test('of arrival and of the service are compared, in either order', () => {
    const receivedAt = '2026-01-05T14:00:01.500Z'
    expect(delayText({ receivedAt, serviceTime: '2026-01-05T14:00:01.416Z' })).toContain('84 ms after')
    expect(delayText({ receivedAt, serviceTime: '2026-01-05T14:00:04.500Z' })).toContain('3 s before')
    expect(delayText({ receivedAt, serviceTime: null })).toBeNull()
  })

  test.each([
    [[0], 'Received once'],
    [[0, 5_012], 'Received 2 times · 5 s later'],
    [[0, 5_012, 25_031], 'Received 3 times · 5 s later, 25 s later'],
    [
      [0, 1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 7e3],
      'Received 8 times · 1 s later, 2 s later, 3 s later, 4 s later, 5 s later, 2 more',
    ],
  ])('of duplicates %j are listed', (afterFirstMs, said) => {
    expect(copiesText(afterFirstMs)).toBe(said)
  })
})

describe('a gap', () => {
  const gap = (over: Partial<Gap>): Gap => ({
    from: local(14, 2).toISOString(),
    to: local(14, 31).toISOString(),
    durationMs: 29 * 60_000,
    proven: true,
    reason: 'closed',
    ...over,
  })
  const nowMs = local(15, 0).getTime()

  test('says when, how long and why', () => {
    expect(gapText(gap({}), nowMs)).toBe('Gap 14:02–14:31 (29 min): Switchboard closed')
  })

  test('that is open ends now; a short one has seconds', () => {
    expect(gapText(gap({ to: null, durationMs: 0 }), nowMs)).toContain('14:02–now (58 min)')
    const short = gap({ to: local(14, 2, 12).toISOString(), durationMs: 12_000 })
    expect(gapText(short, nowMs)).toContain('14:02:00–14:02:12')
  })

  test('with an unknown cause shows it as received', () => {
    expect(gapText(gap({ reason: 'disk full' }), nowMs)).toMatch(/: disk full$/)
  })

  test('shorter than the retries is not called a loss', () => {
    expect(gapMeaning(gap({ proven: false }))).toContain('may have arrived later')
  })
})

test.each([
  ['{"a":1}', '{\n  "a": 1\n}'],
  ['{"a":', '{"a":'],
  ['"text"', '"text"'],
  ['<b>x</b>', '<b>x</b>'],
])('shows a body of %j as %j', (raw, shown) => {
  expect(readableBody(raw)).toBe(shown)
})
