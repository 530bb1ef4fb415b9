import { expect, test } from 'vitest'
import {
  draftOf,
  ruleWords,
  rulesOf,
  wrongOf,
} from '../../../../renderer/src/features/campaigns/guard-words.ts'

const withPercent = (percent: string) => {
  const draft = draftOf(null)
  return { ...draft, failedShare: { ...draft.failedShare, percent } }
}

test('a number that is not one, or out of its bounds, is named and never put right', () => {
  const wrong = Object.fromEntries(
    ['6,5', '0', '101', '', 'ten', '1e1', '6.5'].map((typed) => [
      typed,
      wrongOf(withPercent(typed)).get('failedShare.percent'),
    ]),
  )
  expect(wrong).toEqual({
    '6,5': 'The failed share takes a decimal point: 6.5, not 6,5.',
    '0': 'The failed share lies between 0.1 and 100, not at 0.',
    '101': 'The failed share lies between 0.1 and 100, not at 101.',
    '': 'The failed share is missing.',
    ten: 'The failed share is not a number: ten.',
    '1e1': 'The failed share is not a number: 1e1.',
    '6.5': undefined,
  })
  expect(rulesOf(withPercent('6,5'))).toBeNull()
  expect(rulesOf(withPercent(' 6.5 '))?.failedShare).toEqual({ percent: 6.5, minSent: 500 })
})

test('whole numbers are not rounded, and rules that are off are not judged', () => {
  const draft = draftOf(null)
  draft.failedShare.minSent = '500.5'
  draft.stalled.minutes = 'never'
  draft.errorShare = { ...draft.errorShare, on: true, code: '4x' }
  expect([...wrongOf(draft).keys()]).toEqual(['failedShare.minSent', 'errorShare.code'])
})

test('a draft made of a guard gives the same rules again, and each as a sentence', () => {
  const rules = {
    failedShare: { percent: 6.5, minSent: 1_000 },
    stalled: { minutes: 5 },
    errorShare: { code: 3, percent: 20, minReports: 200, minutes: 10 },
  }
  const guard = { campaignId: null, mode: 'armed' as const, rules, setAt: '', disarmedAt: null }
  expect(rulesOf(draftOf(guard))).toEqual(rules)
  expect(ruleWords(rules)).toEqual([
    '6.5% or more failed, from 1,000 sent on',
    'the sent count stands still for 5 min while recipients are left',
    '20% or more of the last 10 min’s delivery reports, of all traffic, carry error code 3, from 200 reports on',
  ])
})
