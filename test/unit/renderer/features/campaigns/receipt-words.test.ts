import { expect, test } from 'vitest'
import type { PauseReceipt } from '#contract/views/campaigns.ts'
import {
  receiptFigures,
  receiptRemarks,
  receiptSteps,
  receiptTitle,
} from '../../../../../renderer/src/features/campaigns/receipt-words.ts'
import { aReceipt } from '../../../../helpers/scripted/campaigns.ts'

const receipt = (of: Partial<PauseReceipt> = {}) =>
  aReceipt({ campaignId: 'c-1', sentBefore: 90, sentAtPause: 100, sentLast: 130, reads: 40, ...of })
const figures = (of: Partial<PauseReceipt> = {}) => receiptFigures(receipt(of)).map(({ value }) => value)
const remarks = (of: Partial<PauseReceipt> = {}) => receiptRemarks(receipt(of)).join(' ')

test('counts what was sent after the pause, and calls a falling count unknown', () => {
  expect(figures()).toEqual(['90', '100', '30'])
  expect(figures({ sentLast: 100 })).toEqual(['90', '100', '0'])
  expect(figures({ sentBefore: 100 }), 'nothing left during the request').toEqual(['100', '30'])
  expect(figures({ sentLast: 95 })).toEqual(['90', '100', 'Unknown'])
  expect(remarks({ sentLast: 95 })).toContain('sent count went down')
  expect(figures({ state: 'no-count', sentAtPause: null })).toEqual([])
})

test('lists request, pause and last rise in order', () => {
  expect(receiptSteps(receipt()).map(({ text }) => text)).toEqual([
    'Pause requested',
    'Campaign paused',
    'Sent count last rose',
  ])
  const steps = receiptSteps(receipt({ pausedAt: null, movedAfter: null, movedUntil: null }))
  expect(steps.map(({ text }) => text)).toEqual(['Pause requested'])
})

test('says how long and how closely the count was watched', () => {
  expect(remarks()).toBe('No change for 3 min (40 readings, at most 5 s apart).')
  expect(remarks({ state: 'left-paused', status: null })).toContain('Campaign status: Unknown')
})

test('never calls an unconfirmed pause confirmed', () => {
  const unread = receipt({ state: 'not-read', pausedAt: null })
  expect(receiptTitle(unread)).toBe('Manual pause, unconfirmed')
  expect(receiptRemarks(unread).join(' ')).toContain('unknown whether it was paused')
  expect(receiptTitle(receipt())).toBe('Paused manually')
})
