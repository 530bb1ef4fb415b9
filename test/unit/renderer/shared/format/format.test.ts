import { describe, expect, it, test } from 'vitest'
import { failureLimit, failureTone } from '../../../../../renderer/src/shared/format/failures.ts'
import { gapReason } from '../../../../../renderer/src/shared/format/gap-reason.ts'
import {
  alignedAmounts,
  formatAmount,
  formatCount,
  formatShare,
} from '../../../../../renderer/src/shared/format/numbers.ts'
import { phoneGroups } from '../../../../../renderer/src/shared/format/phone.ts'
import { statusLook } from '../../../../../renderer/src/shared/format/status.ts'
import {
  formatAge,
  formatDuration,
  formatForecast,
  formatTime,
  formatUtc,
} from '../../../../../renderer/src/shared/format/time.ts'

describe('numbers', () => {
  it('have thousands separators', () => {
    expect(formatCount(1_204_518)).toBe('1,204,518')
  })

  it('have no currency sign', () => {
    expect(formatAmount(18_422.5)).toBe('18,422.50')
  })

  it('below one keep the decimals they need', () => {
    expect(formatAmount(0.0075)).toBe('0.0075')
    expect(formatAmount(-0.0004)).toBe('-0.0004')
    expect(formatAmount(0)).toBe('0.00')
    expect(formatAmount(0.5)).toBe('0.50')
  })

  it('in a column share their decimals', () => {
    const price = alignedAmounts([0.045, 12, 3.1])
    expect([0.045, 12, 3.1].map(price)).toEqual(['0.045', '12.000', '3.100'])
    expect(alignedAmounts([5])(5)).toBe('5.00')
    expect(alignedAmounts([0.0000001])(0.5)).toBe('0.50')
  })

  it('have no percentage of zero', () => {
    expect(formatShare(3, 0)).toBe('–')
    expect(formatShare(1, 8)).toBe('12.5%')
    // 9.96% is shown as the limit, so it is at the limit.
    expect([formatShare(250, 2_510), failureTone(250, 2_510)]).toEqual(['10.0%', 'bad'])
    expect([formatShare(250, 2_520), failureTone(250, 2_520)]).toEqual(['9.9%', undefined])
    const usual = failureLimit.value
    failureLimit.value = { percent: 5, minSent: 40 }
    expect([failureTone(2, 40), failureTone(2, 39), failureTone(1, 40)]).toEqual([
      'bad',
      undefined,
      undefined,
    ])
    failureLimit.value = usual
  })
})

test.each([
  ['+447400976457', '+44 7400 976457'],
  ['+12133734253', '+1 213 373 4253'],
  ['+5511961234567', '+55 11 96123 4567'],
  ['+999999999999', undefined],
  ['447400976457', undefined],
  ['+44 7400 976457', undefined],
  ['BANK', undefined],
])('groups %s, and only a number with its country', (number, groups) => {
  expect(phoneGroups(number)?.join(' ')).toBe(groups)
})

describe('times', () => {
  it('are shown as received when invalid', () => {
    expect(formatTime('soon')).toBe('soon')
    expect(formatUtc('soon')).toBe('soon')
    expect(formatAge('soon', 0)).toBe('at an unknown time')
  })

  it.each([
    [667, 'under a second'],
    [12_400, 'about 13 s'],
    [59_000, 'about 59 s'],
    [59_400, 'about 1 min'],
    [89_000, 'about 1 min'],
    [59 * 60_000 + 40_000, 'about 1 h'],
    [200_000, 'about 3 min'],
    [3_600_000 * 2 + 61_000, 'about 2 h 1 min'],
  ])('show %i ms ahead as %s', (ms, text) => {
    expect(formatForecast(ms)).toBe(text)
  })

  it('name their zone on hover', () => {
    expect(formatUtc('2026-11-20T23:14:05.120Z')).toBe('2026-11-20 23:14:05.120 UTC')
  })

  it.each([
    [850, '850 ms'],
    [12_000, '12 s'],
    [200_000, '3 min 20 s'],
    [7_200_000, '2 h'],
    [7_500_000, '2 h 5 min'],
    [4 * 86_400_000 + 3 * 3_600_000, '4 d 3 h'],
    [-5, '0 ms'],
  ])('show %d ms as %s', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text)
  })

  it('show an age in one unit', () => {
    const at = (agoMs: number) => formatAge(new Date(1_000_000_000 - agoMs).toISOString(), 1_000_000_000)
    expect([2_000, 40_000, 12 * 60_000, 3 * 3_600_000, 5 * 86_400_000].map(at)).toEqual([
      'just now',
      '40 s ago',
      '12 min ago',
      '3 h ago',
      '5 d ago',
    ])
  })
})

describe('statuses', () => {
  it('outside the spec keep their name', () => {
    expect(statusLook('campaign', 'throttled')).toEqual({ tone: 'quiet', icon: 'dot', label: 'throttled' })
    expect(statusLook('campaign', 'running').label).toBe('Running')
    expect(statusLook('message', 'FAILED')).toMatchObject({ tone: 'bad', label: 'Failed' })
    expect(statusLook('message', 'undelivered').tone).toBe('bad')
  })
})

describe('reasons of a gap', () => {
  it('have a text each', () => {
    const reasons = [
      'switched',
      'restarted',
      'moved',
      'closed',
      'crashed',
      'suspended',
      'not-stored',
      'port-taken',
    ]
    for (const reason of [...reasons, 'unreachable-address']) expect(gapReason(reason)).toMatch(/ /)
  })

  it('are shown as received when unknown', () => {
    expect(gapReason('asleep')).toBe('asleep')
    expect(gapReason('toString')).toBe('toString')
    expect(gapReason('a\u202eb')).toBe('a[U+202E]b')
  })
})
