import { expect, test } from 'vitest'
import type { MessageRelease } from '#contract/views/messages.ts'
import { messageSteps } from '../../../../../renderer/src/shared/messages/message-steps.ts'
import { releaseSays } from '../../../../../renderer/src/shared/messages/release-words.ts'
import { aMessage, aRelease, aReport } from '../../../../helpers/scripted/messages.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, second)).toISOString()

test('joins record, reports and releases into one timeline, each step with its source', () => {
  const record = aMessage({
    id: 'm',
    createdAt: at(0),
    sentAt: at(20),
    deliveredAt: at(30),
    updatedAt: at(30),
  })
  const late = aReport({
    messageId: 'm',
    seq: 2,
    status: 'submitted',
    serviceTime: at(21),
    receivedAt: at(40),
    copies: 2,
  })
  const delivered = aReport({ messageId: 'm', seq: 1, serviceTime: at(31), receivedAt: at(32) })
  const steps = messageSteps({
    record,
    events: [
      { event: delivered, copies: [{ afterFirstMs: 0 }] },
      { event: late, copies: [{ afterFirstMs: 0 }, { afterFirstMs: 5_000 }] },
    ],
    releases: [aRelease({ messageId: 'm', at: at(10) })],
  })
  expect(steps.map(({ at: when, source, look }) => [when, source, look.label])).toEqual([
    [at(0), 'service', 'Created'],
    [at(10), 'console', 'Released'],
    [at(20), 'service', 'Sent'],
    [at(21), 'listener', 'Submitted'],
    [at(30), 'service', 'Delivered'],
    [at(31), 'listener', 'Delivered'],
  ])
  expect(steps[3]!.event).toMatchObject({ arrivedAt: at(40), copies: 2, copiesAfterMs: [0, 5_000] })
})

test('places a report without a readable time at its arrival', () => {
  const of = (serviceTime: string | null) =>
    messageSteps({
      record: null,
      events: [{ event: aReport({ messageId: 'm', serviceTime, receivedAt: at(40) }), copies: [] }],
      releases: [],
    })[0]!.at
  expect(of(null)).toBe(at(40))
  expect(of(at(5))).toBe(at(5))
})

test('gives no steps for a record with only an ID', () => {
  const record = aMessage({ id: 'm', createdAt: null, sentAt: null, deliveredAt: null, updatedAt: null })
  expect(messageSteps({ record, events: [], releases: [] })).toEqual([])
})

const onDnc = { code: 'ON_DNC', acted: 'no', data: { phone: '+15552000001', reason: 'STOP' } } as const

test.each<[Partial<MessageRelease>, string]>([
  [{ state: 'waiting' }, 'Not sent yet.'],
  [{ state: 'released' }, 'Released. Status: Queued.'],
  [{ state: 'refused', serviceText: 'not held' }, 'Refused: “not held”. Status: Queued.'],
  [{ state: 'refused' }, 'Refused. Status: Queued.'],
  [{ state: 'not-held' }, 'Not held. Status: Queued. Nothing was sent.'],
  [
    { state: 'blocked', problem: onDnc },
    '+15552000001 is on the DNC list or on hold (STOP). Nothing was sent; the contact is kept. Check the number in Do not contact.',
  ],
  [{ state: 'unknown' }, 'Unconfirmed and not retried. Status: Queued.'],
  [{ state: 'unknown', statusAfter: null }, 'Unconfirmed and not retried. Status: Unknown.'],
])('says of the release %j: %s', (of, says) => {
  expect(releaseSays(aRelease({ messageId: 'm', statusAfter: 'queued', serviceText: null, ...of }))).toBe(
    says,
  )
})
