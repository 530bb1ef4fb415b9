import { expect, test } from 'vitest'
import type { CampaignPoint } from '#contract/views/campaigns.ts'
import { axisFormat } from '../../../../../renderer/src/features/campaigns/campaign-history-option.ts'

const point = (at: string): CampaignPoint => ({
  at,
  until: at,
  sent: 1,
  failed: 0,
  status: 'running',
  afterGap: false,
})

test.each([
  ['2026-01-01T10:00:40Z', '{HH}:{mm}:{ss}'],
  ['2026-01-01T11:00:00Z', '{HH}:{mm}'],
  ['2026-01-05T10:00:00Z', '{d} {MMM}'],
])('writes times from 10:00 to %s as %s', (until, format) => {
  expect(axisFormat([point('2026-01-01T10:00:00Z'), point(until)])).toBe(format)
})
