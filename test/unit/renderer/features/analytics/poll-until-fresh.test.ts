import { expect, test } from 'vitest'
import type { Freshness } from '#contract/define.ts'
import { pollUntilFresh } from '../../../../../renderer/src/features/analytics/use-service-figures.ts'

const old = '2020-01-01T00:00:00.000Z'
const interval = (freshness: Freshness, error: unknown = null) => pollUntilFresh({ freshness }, error)
const failure = { code: 'SERVICE_UNREACHABLE', acted: 'no', data: {} } as const

test('polls while the service is being asked', () => {
  expect(interval({ asOf: old, source: 'cache', error: null })).toBeGreaterThan(0)
})

test('stops at an answer, at a reason for none, or when the cached answer is new', () => {
  expect(interval({ asOf: old, source: 'live', error: null })).toBe(false)
  expect(interval({ asOf: old, source: 'cache', error: failure })).toBe(false)
  expect(interval({ asOf: old, source: 'cache', error: null }, new Error('gone'))).toBe(false)
  expect(interval({ asOf: new Date().toISOString(), source: 'cache', error: null })).toBe(false)
  expect(pollUntilFresh(undefined, null)).toBe(false)
})
