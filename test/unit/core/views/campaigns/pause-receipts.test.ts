import { expect, test } from 'vitest'
import type { Campaign } from '#contract/domain.ts'
import { createPauseReceipts, settleMs } from '#electron/core/views/campaigns/pause-receipts.ts'
import { createReceiptsRepository } from '#electron/core/views/campaigns/receipts.repository.ts'
import { ordinaryCampaigns } from '../../../../helpers/scripted-answers.ts'
import { openState } from './open-state.ts'

const secondMs = 1_000
const begin = Date.UTC(2026, 0, 5)

/** A receipt whose pause was confirmed at 100 sent, and its readings. */
function aPause(at: Partial<Campaign> = {}) {
  const db = openState()
  const resumed: string[] = []
  const receipts = createPauseReceipts(createReceiptsRepository(db), ({ title }) => resumed.push(title))
  const campaign = { ...ordinaryCampaigns()[0]!, sentCount: 90, failedCount: 1 }
  const id = receipts.sending(campaign, 'operator', begin)
  receipts.proven(id, { ...campaign, status: 'paused', sentCount: 100, ...at }, begin)
  const read = (afterSeconds: number, of: Partial<Campaign> = {}) => {
    const nowMs = begin + afterSeconds * secondMs
    receipts.read({ ...campaign, status: 'paused', sentCount: 100, ...of }, nowMs, nowMs)
  }
  const receipt = () => receipts.of(campaign.id, 1)[0]!
  return { receipts, campaign, read, receipt, db, resumed }
}

test('shows what still left, when it stopped, and how precisely that is known', () => {
  const { read, receipt, receipts } = aPause()
  read(5, { sentCount: 140 })
  read(12, { sentCount: 163 })
  for (let at = 17; at <= 187; at += 5) read(at, { sentCount: 163 })
  expect(receipt()).toMatchObject({ state: 'reading', sentBefore: 90, sentAtPause: 100, sentLast: 163 })
  read(12 + settleMs / secondMs, { sentCount: 163 })
  expect(receipt()).toMatchObject({
    state: 'settled',
    movedAfter: new Date(begin + 5 * secondMs).toISOString(),
    movedUntil: new Date(begin + 12 * secondMs).toISOString(),
    longestGapMs: 7 * secondMs,
  })
  expect(receipts.open()).toEqual([])
  read(900, { sentCount: 900 })
  expect(receipt().sentLast).toBe(163)
})

test('tells of a campaign that runs again after its pause, once', () => {
  const { read, resumed, campaign } = aPause()
  read(5)
  expect(resumed).toEqual([])
  for (const at of [10, 15]) read(at, { status: 'running' })
  expect(resumed).toEqual([campaign.name])
})

test('continues after the console was closed and names the gap', () => {
  const { read, receipt, db } = aPause()
  read(5, { sentCount: 140 })
  const again = createPauseReceipts(createReceiptsRepository(db))
  expect(again.open()).toHaveLength(1)
  read(3_605, { sentCount: 400 })
  expect(receipt()).toMatchObject({ state: 'reading', sentLast: 400, longestGapMs: 3_600_000 })
  for (let at = 3_610; at <= 3_800; at += 10) read(at, { sentCount: 400 })
  expect(receipt()).toMatchObject({ state: 'settled', sentLast: 400 })
})

test.each<[string, (of: ReturnType<typeof aPause>) => void, object]>([
  [
    'ends when the campaign runs again',
    ({ read }) => read(30, { status: 'running', sentCount: 500 }),
    { state: 'left-paused', status: 'running' },
  ],
  [
    'does not take an answer from before the confirmation for a resume',
    ({ receipts, campaign }) => receipts.read({ ...campaign, status: 'running' }, begin - 1, begin + 200),
    { state: 'reading', status: 'paused' },
  ],
  [
    'watches a rising count for half an hour, then says that it rises',
    ({ read }) => {
      for (let at = 30; at <= 1_800; at += 30) read(at, { sentCount: 100 + at })
    },
    { state: 'still-moving', sentLast: 1_900 },
  ],
])('%s', (_what, happen, expected) => {
  const pause = aPause()
  happen(pause)
  expect(pause.receipt()).toMatchObject(expected)
})

test('tells for a day that a campaign runs again after its pause, until the next one', () => {
  const { receipts, campaign, read } = aPause()
  read(5)
  expect(receipts.resumed(begin)).toEqual([])
  read(10, { status: 'running' })
  expect(receipts.resumed(begin)).toMatchObject([{ campaignId: campaign.id, title: campaign.name }])
  expect(receipts.resumed(begin + 90_000_000)).toEqual([])
  receipts.sending(campaign, 'operator', begin + 20_000)
  expect(receipts.resumed(begin)).toEqual([])
})

test('claims no count when the service gives none', () => {
  expect(aPause({ sentCount: null }).receipt()).toMatchObject({ state: 'no-count', sentLast: null })
})

test('confirms an unanswered pause by a later reading, or gives up', () => {
  const { receipts, campaign } = aPause()
  for (const [status, state] of [
    ['paused', 'reading'],
    ['completed', 'not-paused'],
  ] as const) {
    const other = { ...campaign, id: `of-${status}` as Campaign['id'] }
    receipts.sending(other, 'alert-rule', begin)
    receipts.read({ ...other, status: 'running' }, begin + 1, begin + 1)
    receipts.read({ ...other, status: 'pausing' }, begin + 2, begin + 2)
    expect(receipts.of(other.id, 1)[0]).toMatchObject({ state: 'sent' })
    receipts.read({ ...other, status }, begin + 5_000, begin + 5_000)
    expect(receipts.of(other.id, 1)[0]).toMatchObject({ state })
  }
})
