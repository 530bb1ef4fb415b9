import { expect, test } from 'vitest'
import type { PauseReceipt } from '#contract/campaigns.ts'
import { receiptSentences, receiptTitle } from '../../../../renderer/src/features/campaigns/receipt-words.ts'

const at = '2026-11-20T12:00:00.000Z'
const receipt: PauseReceipt = {
  id: 1,
  campaignId: 'c-1',
  title: 'Autumn',
  by: 'operator',
  state: 'settled',
  sentAt: at,
  pausedAt: at,
  sentBefore: 90,
  sentAtPause: 100,
  sentLast: 130,
  failedAtPause: 0,
  failedLast: 0,
  movedAfter: at,
  movedUntil: at,
  readAt: at,
  reads: 40,
  longestGapMs: 5_000,
  endedAt: at,
  status: 'paused',
}
const said = (of: Partial<PauseReceipt>) => receiptSentences({ ...receipt, ...of }).join(' ')

test('a receipt says how many still went out, and never that fewer than none did', () => {
  expect(said({})).toContain('30 messages went out after it.')
  expect(said({ sentLast: 100, movedAfter: null, movedUntil: null })).toContain('nothing went out after it.')
  expect(said({ sentLast: 95 })).toContain('the service’s count went back')
  expect(said({ sentLast: 95 })).not.toContain('went out after it')
})

test('a receipt of a campaign that could not be read any more says what that leaves open', () => {
  expect(said({ state: 'not-read' })).toContain('could not be read any more')
  const unproven = { ...receipt, state: 'not-read' as const, pausedAt: null }
  expect(receiptTitle(unproven)).not.toContain('not proven yet')
  expect(receiptSentences(unproven).join(' ')).toContain('whether it was paused is not known')
})
