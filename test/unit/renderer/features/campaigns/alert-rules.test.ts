import { expect, test } from 'vitest'
import {
  conditionTexts,
  draftOf,
  problemsOf,
  rulesOf,
} from '../../../../../renderer/src/features/campaigns/alert-rules.ts'

const withPercent = (percent: string) => {
  const draft = draftOf(null)
  return { ...draft, failedShare: { ...draft.failedShare, percent } }
}

test('reports a wrong number and never corrects it', () => {
  const problems = Object.fromEntries(
    ['6,5', '0', '101', '', 'ten', '1e1', '6.5'].map((typed) => [
      typed,
      problemsOf(withPercent(typed)).get('failedShare.percent'),
    ]),
  )
  expect(problems).toEqual({
    '6,5': 'Failure rate, percent: use a decimal point, such as 6.5.',
    '0': 'Failure rate, percent: enter a number from 0.1 to 100.',
    '101': 'Failure rate, percent: enter a number from 0.1 to 100.',
    '': 'Failure rate, percent: enter a number.',
    ten: 'Failure rate, percent: “ten” is not a number.',
    '1e1': 'Failure rate, percent: “1e1” is not a number.',
    '6.5': undefined,
  })
  expect(rulesOf(withPercent('6,5'))).toBeNull()
  expect(rulesOf(withPercent(' 6.5 '))?.failedShare).toEqual({ percent: 6.5, minSent: 100 })
})

test('does not round whole numbers, and ignores conditions that are off', () => {
  const draft = draftOf(null)
  draft.failedShare.minSent = '500.5'
  draft.stalled.minutes = 'never'
  draft.errorShare = { ...draft.errorShare, on: true, code: '4x' }
  expect([...problemsOf(draft).keys()]).toEqual(['failedShare.minSent', 'errorShare.code'])
})

test('turns a rule into a draft and back, and its conditions into words', () => {
  const rules = {
    failedShare: { percent: 6.5, minSent: 1_000 },
    stalled: { minutes: 5 },
    errorShare: { code: 3, percent: 20, minReports: 200, minutes: 10 },
  }
  const alertRule = { campaignId: null, mode: 'armed' as const, rules, disarmedAt: null, armedBy: null }
  expect(rulesOf(draftOf(alertRule))).toEqual(rules)
  expect(conditionTexts(rules)).toEqual([
    'At least 6.5% failed, in total or in the last 15 min. Needs 1,000 sent in total, or 2,000 in 15 min.',
    'No progress for 5 min with recipients left',
    '≥ 20% of delivery reports in 10 min have error code 3 (all traffic, at least 200)',
  ])
})
