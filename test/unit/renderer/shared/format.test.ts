import { describe, expect, it } from 'vitest'
import {
  formatAmount,
  formatCount,
  formatCounted,
  formatShare,
} from '../../../../renderer/src/shared/format/numbers.ts'
import { statusLook } from '../../../../renderer/src/shared/format/status.ts'
import {
  formatAge,
  formatDuration,
  formatTime,
  formatUtc,
} from '../../../../renderer/src/shared/format/time.ts'

describe('numbers', () => {
  it('carry thousands separators', () => {
    expect(formatCount(1_204_518)).toBe('1,204,518')
    expect(formatCounted(1, 'event')).toBe('1 event')
    expect(formatCounted(2_000, 'event')).toBe('2,000 events')
  })

  it('carry no currency sign', () => {
    expect(formatAmount(18_422.5)).toBe('18,422.50')
  })

  it('have no share of nothing', () => {
    expect(formatShare(3, 0)).toBe('—')
    expect(formatShare(1, 8)).toBe('12.5 %')
  })
})

describe('times', () => {
  it('are given back as they came when they are none', () => {
    expect(formatTime('soon')).toBe('soon')
    expect(formatUtc('soon')).toBe('soon')
    expect(formatAge('soon', 0)).toBe('at an unknown time')
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
  ])('write %d ms as %s', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text)
  })

  it('age in one unit', () => {
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
  it('keep their word when the spec does not know them', () => {
    expect(statusLook('campaign', 'throttled')).toEqual({ tone: 'quiet', icon: 'dot', label: 'throttled' })
    expect(statusLook('campaign', 'running').label).toBe('Running')
  })
})
