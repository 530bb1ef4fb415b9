import { expect, test } from 'vitest'
import { outboxCounts } from '../../../../helpers/scripted/outbox.ts'
import {
  endText,
  leftText,
  mayHaveLeft,
  templateWarning,
} from '../../../../../renderer/src/features/templates/send-words.ts'

test('warns of templates that are missing, possibly deleted, or in a status that can’t be sent', () => {
  expect(templateWarning({ state: 'known', status: 'active' }, ['active'])).toBeNull()
  expect(templateWarning({ state: 'known', status: null }, ['active'])).toBeNull()
  expect(templateWarning({ state: 'known', status: 'approved' }, ['active'])).toContain('“approved”')
  expect(templateWarning({ state: 'known', status: 'approved' }, ['active', 'approved'])).toBeNull()
  expect(templateWarning({ state: 'not-found', status: 'active' }, ['active'])).toContain('rejected')
  expect(templateWarning({ state: 'deletion-unknown', status: 'active' }, ['active'])).toContain('deletion')
})

test('says when the last message leaves, not how long sending takes, if it waits for a start or for hours', () => {
  const at = (hour: number) => new Date(2036, 0, 5, hour).toISOString()
  const hours = { fromMinute: 540, toMinute: 1_200 }
  const end = (send: object, lastAt: string | null) => endText({ send, lastAt, etaMs: 10_000 } as never)
  expect(end({ startAt: null, hours: null }, at(9))).toBe('Takes about 10 s')
  expect(end({ startAt: null, hours }, at(9))).toBe('Last message: 05 Jan, 09:00')
  expect(end({ startAt: at(8), hours: null }, null)).toBe('')
  const waitsFor = { hours, nextAt: at(9), lastAt: at(10) }
  expect(leftText(2, { etaMs: 10_000, waitsFor, lastAt: at(11) })).toBe(
    '2 left, within local hours 09:00 – 20:00. Next: 05 Jan, 09:00. Last: about 05 Jan, 11:00.',
  )
})

test.each([
  ['queued', {}, true],
  ['scheduled', { scheduled: 2 }, false],
  ['scheduled', { scheduled: 1, done: 1 }, true],
  ['start-missed', { scheduled: 1, unknown: 1 }, true],
  ['undone', { cancelled: 2 }, false],
])('knows whether messages of a send that is %s may have left: %o', (state, counts, may) => {
  expect(mayHaveLeft({ send: { state }, outcome: outboxCounts(counts) } as never)).toBe(may)
})
