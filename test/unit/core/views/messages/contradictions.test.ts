import { expect, test } from 'vitest'
import { contradictionsOf } from '#electron/core/views/messages/messages.service.ts'
import { aReport } from '../../../../helpers/scripted/messages.ts'

const readMs = Date.UTC(2026, 10, 21, 12)
const at = (minutes: number) => new Date(readMs + minutes * 60_000).toISOString()
const record = (status: string | null, to: string | null = '+15552000001') => ({ status, to })
const report = (status: string, of: Partial<Parameters<typeof aReport>[0]> = {}) =>
  aReport({ messageId: 'm-1', status, receivedAt: at(-5), ...of })
const kinds = (of: ReturnType<typeof contradictionsOf>) => of.map(({ kind }) => kind)

test('shows a report that is further than the record, and whether the record is older', () => {
  expect(contradictionsOf(record('pending'), readMs, [report('submitted'), report('delivered')])).toEqual([
    { kind: 'ahead', recordSays: 'pending', eventSays: 'delivered', eventSeq: 1_204_000, isNewer: false },
  ])
  const [newer] = contradictionsOf(record('queued'), readMs, [report('failed', { receivedAt: at(1) })])
  expect(newer).toMatchObject({ kind: 'ahead', isNewer: true })
})

test('compares final statuses: rejected equals failed, others differ', () => {
  expect(kinds(contradictionsOf(record('expired'), readMs, [report('delivered')]))).toEqual(['differs'])
  expect(kinds(contradictionsOf(record('rejected'), readMs, [report('failed')]))).toEqual([])
})

test('sees no contradiction in a record that is further than its reports or has no status', () => {
  expect(contradictionsOf(record('delivered'), readMs, [report('submitted')])).toEqual([])
  expect(contradictionsOf(record(null), readMs, [report('delivered')])).toEqual([])
  expect(contradictionsOf(record('pending'), readMs, [])).toEqual([])
})

test('compares recipients by number, not by spelling', () => {
  expect(
    kinds(contradictionsOf(record('delivered'), readMs, [report('delivered', { number: '+1999' })])),
  ).toEqual(['number'])
  for (const number of ['00 1555 2000001', '(555) 200-0001', '05552000001'])
    expect(contradictionsOf(record('delivered'), readMs, [report('delivered', { number })])).toEqual([])
})
