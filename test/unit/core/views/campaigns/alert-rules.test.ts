import { describe, expect, test } from 'vitest'
import type { AlertConditions } from '#contract/views/campaign-alert-rules.ts'
import { type Evidence, trippedRules } from '#electron/core/views/campaigns/alert-conditions.ts'
import { createAlertRulesRepository } from '#electron/core/views/campaigns/alert-rules.repository.ts'
import { openState } from './open-state.ts'

const noRules: AlertConditions = { failedShare: null, stalled: null, errorShare: null }
const calm: Evidence = {
  campaign: { sentCount: 1_000, failedCount: 20 },
  motion: { stillMs: null, stalled: false, lately: null },
  left: 500,
  reportShare: () => ({ reports: 0, withCode: 0, newestOf: null }),
}
const tripped = (rules: Partial<AlertConditions>, evidence: Partial<Evidence> = {}) =>
  trippedRules({ ...noRules, ...rules }, { ...calm, ...evidence })

describe('a rule', () => {
  const share = { failedShare: { percent: 10, minSent: 500 } }

  test.each([
    ['below its threshold', 1_000, 20, 0],
    ['at its threshold', 1_000, 100, 1],
    ['that rounds to its threshold', 2_510, 250, 1],
    ['just below what rounds to it', 2_520, 250, 0],
    ['before its minimum of sent messages', 499, 499, 0],
    ['when failed messages do not count as sent', 20, 600, 1],
    ['without a count of sent messages', null, 90, 0],
    ['without a count of failed messages', 1_000, null, 0],
  ])('on the failed share, %s', (_when, sentCount, failedCount, triggers) => {
    const found = tripped(share, { campaign: { sentCount, failedCount } })
    const reading = { key: 'alertRule.failedShare', failed: failedCount }
    expect(found).toMatchObject(triggers ? [{ rule: 'failed-share', reading }] : [])
  })

  test('on the failed share also looks at the last minutes of a campaign that went well before', () => {
    const lately = (sent: number, failed: number) =>
      tripped(share, { motion: { ...calm.motion, lately: { sent, failed, minutes: 4 } } })
    expect(lately(1_000, 100)).toMatchObject([{ reading: { key: 'alertRule.failedLately', minutes: 4 } }])
    expect(lately(1_000, 99)).toEqual([])
    expect(lately(999, 999)).toEqual([])
  })

  test('on the failed share says how many failed of how many', () => {
    expect(tripped(share, { campaign: { sentCount: 1_000, failedCount: 100 } })).toMatchObject([
      { reading: { percent: 10, failed: 100, tried: 1_000 } },
    ])
  })

  test('on a stalled campaign needs recipients that are left', () => {
    const rules = { stalled: { minutes: 5 } }
    const motion = { ...calm.motion, stillMs: 300_000, stalled: true }
    expect(tripped(rules, { motion })).toMatchObject([{ rule: 'stalled' }])
    expect(tripped(rules, { motion, left: 0 })).toEqual([])
    expect(tripped(rules, { motion: { ...motion, stillMs: 299_000 } })).toEqual([])
  })

  test('on error codes counts its code over all traffic, says so, and needs enough reports', () => {
    const rules = { errorShare: { code: 2, percent: 20, minReports: 50, minutes: 10 } }
    const of = (reports: number, withCode: number, newestOf: number | null = null) => ({
      reportShare: (...asked: unknown[]) => {
        expect(asked).toEqual([2, 10])
        return { reports, withCode, newestOf }
      },
    })
    expect(tripped(rules, of(100, 20))).toMatchObject([{ reading: { key: 'alertRule.errorShare' } }])
    const newest = { key: 'alertRule.errorShareNewest', events: 100_000 }
    expect(tripped(rules, of(100, 20, 100_000))).toMatchObject([{ reading: newest }])
    expect(tripped(rules, of(49, 49))).toEqual([])
    expect(tripped(rules, of(100, 19))).toEqual([])
  })
})

describe('the rule log', () => {
  const rules: AlertConditions = { ...noRules, failedShare: { percent: 10, minSent: 1 } }
  const reading = { key: 'alertRule.stalled', minutes: 5, sent: 7, limit: 5 } as const
  const note = { campaignId: 'c-1', title: 'Autumn', rule: 'failed-share', reading } as const

  function aAlertRule(campaignId: string | null = 'c-1') {
    const db = openState()
    const alertRules = createAlertRulesRepository(db)
    alertRules.put(campaignId, 'armed', rules, 0)
    const trip = (at: number, id = 'c-1') =>
      alertRules.trip({ ...note, campaignId: id, alertRule: alertRules.get(campaignId)! }, at)
    return { db, alertRules, trip }
  }

  test('has one line for readings that trigger within 15 minutes, and a new one after a longer break', () => {
    const { alertRules, trip } = aAlertRule()
    expect(trip(1)).toMatchObject({ isNew: true })
    expect(trip(2)).toMatchObject({ isNew: false })
    alertRules.clear('c-1', [], 3)
    expect(trip(4)).toMatchObject({ isNew: false })
    expect(alertRules.isTripped('c-1')).toBe(true)
    alertRules.clear('c-1', [], 5)
    expect(trip(15 * 60_000 + 5)).toMatchObject({ isNew: true })
    expect(alertRules.trips({ limit: 10 })).toMatchObject([
      { times: 1, clearedAt: null },
      { times: 3, clearedAt: expect.any(String) },
    ])
  })

  test('lets a rule act once, turns it off, and lets it act again when turned on', () => {
    const { alertRules, trip } = aAlertRule()
    const { id } = trip(1)
    const armed = alertRules.get('c-1')!
    expect(alertRules.decide(id, armed, 1)).toBe(true)
    expect(alertRules.decide(id, armed, 2)).toBe(false)
    expect(alertRules.get('c-1')!.view).toMatchObject({ mode: 'notify', disarmedAt: expect.any(String) })
    alertRules.settle(id, 'unknown', { key: 'alertRule.notSent' }, 3)
    alertRules.put('c-1', 'armed', rules, 4)
    const next = trip(5)
    expect(next).toMatchObject({ isNew: true })
    expect(alertRules.decide(next.id, alertRules.get('c-1')!, 5)).toBe(true)
  })

  test('keeps the pause of an active rule however long the log grows', () => {
    const { db, alertRules, trip } = aAlertRule(null)
    const usual = alertRules.get(null)!
    const first = trip(1, 'c-1')
    alertRules.decide(first.id, usual, 1)
    alertRules.settle(first.id, 'paused', null, 2)
    alertRules.clear('c-1', [], 3)
    db.transaction(() => {
      for (let at = 4; at < 2_200; at++) {
        trip(at, 'c-2')
        alertRules.clear('c-2', [], at)
      }
    })()
    expect(alertRules.decide(trip(3_000, 'c-1').id, usual, 3_000)).toBe(false)
    alertRules.put(null, 'armed', rules, 3_001)
    expect(alertRules.decide(trip(3_002, 'c-1').id, alertRules.get(null)!, 3_002)).toBe(true)
  })

  test('lets the default rule act once per campaign and stay on for the others', () => {
    const { alertRules, trip } = aAlertRule(null)
    const usual = alertRules.get(null)!
    const first = trip(1, 'c-1')
    expect(alertRules.decide(first.id, usual, 1)).toBe(true)
    alertRules.settle(first.id, 'paused', null, 2)
    alertRules.clear('c-1', [], 3)
    expect(alertRules.decide(trip(4, 'c-1').id, usual, 4)).toBe(false)
    expect(alertRules.decide(trip(5, 'c-2').id, usual, 5)).toBe(true)
    expect(alertRules.get(null)!.view.mode).toBe('armed')
  })

  test('turns a rule on again when its pause never left, unless someone changed it', () => {
    for (const isSet of [false, true]) {
      const { alertRules, trip } = aAlertRule()
      const { id } = trip(1)
      alertRules.decide(id, alertRules.get('c-1')!, 1)
      if (isSet) alertRules.put('c-1', 'off', rules, 2)
      alertRules.settle(id, 'not-sent', { key: 'alertRule.notSent' }, 3)
      expect(alertRules.get('c-1')!.view.mode).toBe(isSet ? 'off' : 'armed')
      if (!isSet) expect(alertRules.decide(trip(4).id, alertRules.get('c-1')!, 4)).toBe(true)
    }
  })
})
