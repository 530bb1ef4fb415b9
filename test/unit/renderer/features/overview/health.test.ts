import { expect, test } from 'vitest'
import type { OutboxDrain } from '#contract/outbox.ts'
import {
  guardsRow,
  listRow,
  outboxRow,
  serviceRows,
} from '../../../../../renderer/src/features/overview/health.ts'
import { ordinaryStatus } from '../../../../helpers/scripted-answers.ts'
import { ordinaryWatch } from '../../../../helpers/scripted/campaigns.ts'

const nowMs = Date.parse('2026-01-05T12:00:00Z')
const none = {
  'held-back': 0,
  queued: 0,
  blocked: 0,
  'in-flight': 0,
  done: 0,
  rejected: 0,
  unknown: 0,
  cancelled: 0,
}
const drain = (of: Partial<OutboxDrain>): OutboxDrain => ({
  state: 'idle',
  problem: null,
  counts: none,
  ratePerMinute: null,
  etaMs: null,
  heldUntil: null,
  deletions: [],
  asOf: '2026-01-05T12:00:00Z',
  ...of,
})
const rowOf = (name: string, of: Partial<ReturnType<typeof ordinaryStatus>>) =>
  serviceRows({ ...ordinaryStatus(), ...of }, nowMs).find((row) => row.name === name)!

test('what nobody knows the outcome of turns the outbox amber, whatever else it does', () => {
  expect(outboxRow(drain({}))).toMatchObject({ look: { tone: 'quiet' }, text: '' })
  expect(
    outboxRow(drain({ state: 'sending', etaMs: 60_000, counts: { ...none, queued: 1_200, unknown: 3 } })),
  ).toMatchObject({
    look: { tone: 'warn', label: 'Sending' },
    text: expect.stringContaining('3 unconfirmed'),
  })
})

test('an outbox that has something to go never says that there is nothing to send', () => {
  const label = (counts: Partial<typeof none>) =>
    outboxRow(drain({ counts: { ...none, ...counts } })).look.label
  expect([{}, { 'held-back': 2 }, { blocked: 1, unknown: 1 }, { queued: 1 }].map(label)).toEqual([
    'Nothing to send',
    'Undo window',
    'Needs attention',
    'Sending',
  ])
})

test('a list that cannot tell who is on it is never called well', () => {
  const tones = (['fresh', 'stale', 'partial', 'never'] as const).map(
    (state) => listRow({ state, asOf: state === 'never' ? null : '2026-01-05T10:00:00Z' }, nowMs).look.tone,
  )
  expect(tones).toEqual(['ok', 'warn', 'warn', 'warn'])
})

test('guards that do not look now are said to, though they are set', () => {
  const guards = [
    { campaignId: null, mode: 'armed' as const },
    { campaignId: 'c', mode: 'off' as const },
  ]
  expect(guardsRow({ guards, watch: ordinaryWatch() }, Date.now())).toMatchObject({
    look: { label: '1 rule' },
  })
  const problem = { code: 'SERVICE_UNREACHABLE', text: 'Away.', retryable: true, data: {} }
  expect(guardsRow({ guards, watch: { ...ordinaryWatch(), problem } }, nowMs).look.tone).toBe('bad')
  expect(guardsRow({ guards: [], watch: ordinaryWatch() }, nowMs).look.label).toBe('None')
})

test('a key that nothing was asked with is not called signed in, and unused requests have no reset', () => {
  const session = { state: 'signed-in' as const, problem: null, endsAt: null }
  const network = { reachable: false, lastAnswerAt: null, problem: null }
  expect(rowOf('Sign-in', { session, network }).look).toMatchObject({ tone: 'quiet', label: 'Not verified' })
  expect(
    rowOf('Sign-in', { session: { ...session, endsAt: '2026-01-09T02:00:00Z' }, network }).look.tone,
  ).toBe('ok')
  const budget = { ...ordinaryStatus().budget!, resetInMs: 22_000 }
  expect(rowOf('Requests', { budget }).text).toContain('resets in 22 s')
  expect(rowOf('Requests', { budget: { ...budget, resetInMs: 0 } }).text).not.toContain('reset')
  const unused = { ...budget, usedByUs: 0, usedByOthers: 0 }
  expect(rowOf('Requests', { budget: unused }).text).not.toContain('reset')
})

test('a sign-in is said to end a day before it does', () => {
  const session = { state: 'signed-in' as const, problem: null }
  expect(rowOf('Sign-in', { session: { ...session, endsAt: '2026-01-06T02:00:00Z' } }).look.label).toBe(
    'Expires in 14 h',
  )
  expect(rowOf('Sign-in', { session: { ...session, endsAt: '2026-01-09T02:00:00Z' } }).look.label).toBe(
    'Signed in',
  )
  expect(
    rowOf('Service', { network: { reachable: false, lastAnswerAt: null, problem: null } }).look.tone,
  ).toBe('bad')
})
