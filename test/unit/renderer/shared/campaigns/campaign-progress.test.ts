import { describe, expect, test } from 'vitest'
import type { CampaignId } from '#contract/domain.ts'
import {
  campaignProgress,
  campaignTitle,
  failureText,
  remainingRecipients,
} from '../../../../../renderer/src/shared/campaigns/campaign-progress.ts'

const counts = (sentCount: number | null, failedCount: number | null, totalRecipients: number | null) => ({
  sentCount,
  failedCount,
  totalRecipients,
})

describe('a campaign’s progress', () => {
  test('is sent of all recipients, with failed ones as a part of sent', () => {
    expect(campaignProgress(counts(60, 15, 100))).toEqual({
      sentShare: 0.6,
      failedShare: 0.15,
      sentText: '60 of 100 sent',
      sentOfText: '60 of 100',
      failedText: '15 failed (25.0%)',
      failureRate: 0.25,
    })
  })

  test('is a full bar at the end, even with failures', () => {
    expect(campaignProgress(counts(100, 20, 100))).toMatchObject({ sentShare: 1, failedShare: 0.2 })
  })

  test.each([counts(0, 3, 100), counts(5, 9, 100), counts(null, 9, 100)])(
    'has no failure rate for %j',
    (given) => {
      const { failedText, failedShare, failureRate } = campaignProgress(given)
      expect(failedText).toBe(`${given.failedCount} failed`)
      expect(failedShare).toBe(0)
      expect(failureRate).toBeNull()
    },
  )

  test('shows a missing count as missing, not as zero', () => {
    expect(campaignProgress(counts(null, null, 100))).toMatchObject({
      sentText: '– of 100 sent',
      failedText: null,
    })
  })

  test.each([
    counts(0, 0, 0),
    counts(null, null, null),
    counts(500, 30, 10),
    counts(5, 900, 10),
    counts(-3, -1, 10),
  ])('never leaves its bar: %j', (given) => {
    const { sentShare, failedShare } = campaignProgress(given)
    expect(failedShare).toBeGreaterThanOrEqual(0)
    expect(sentShare).toBeGreaterThanOrEqual(failedShare)
    expect(sentShare).toBeLessThanOrEqual(1)
  })
})

test.each([
  [counts(60, 20, 100), 40],
  [counts(90, null, 100), 10],
  [counts(100, 20, 100), 0],
  [counts(120, 0, 100), null],
  [counts(null, 0, 100), null],
])('with %j, at most %j are left', (given, left) => {
  expect(remainingRecipients(given)).toBe(left)
})

test('shows the ID of a campaign without a name', () => {
  const id = 'c-1' as CampaignId
  expect(campaignTitle({ id, name: null })).toBe('c-1')
  expect(campaignTitle({ id, name: '  ' })).toBe('c-1')
  expect(campaignTitle({ id, name: 'Spring' })).toBe('Spring')
})

test.each([
  [200, 3, '1.5%'],
  [200, 0, '0.0%'],
  [0, 0, '–'],
  [2, 5, '5'],
  [200, null, '–'],
])('shows %s sent and %s failed as %s', (sent, failed, text) => {
  expect(failureText(counts(sent, failed, 500))).toBe(text)
})
