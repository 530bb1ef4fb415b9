import { expect, test } from 'vitest'
import { noGapsText, outboxRow, serviceRows } from '../../../../../renderer/src/features/overview/health.ts'
import { ordinaryStatus } from '../../../../helpers/scripted-answers.ts'
import { idleDrain, outboxCounts } from '../../../../helpers/scripted/outbox.ts'

const nowMs = Date.parse('2026-01-05T12:00:00Z')
const rowOf = (name: string, of: Partial<ReturnType<typeof ordinaryStatus>>) =>
  serviceRows({ ...ordinaryStatus(), ...of }, nowMs).find((row) => row.name === name)!

test('never says “Nothing to send” while requests wait', () => {
  const label = (some: Parameters<typeof outboxCounts>[0]) =>
    outboxRow(idleDrain({ counts: outboxCounts(some) })).look.label
  expect(
    [{}, { undoable: 2 }, { blocked: 1, unknown: 1 }, { queued: 1 }, { scheduled: 1 }].map(label),
  ).toEqual(['Nothing to send', 'Can be undone', 'Needs attention', 'Sending', 'Scheduled'])
})

test('shows the listener with what it received, and what it could not store', () => {
  const { listener } = ordinaryStatus()
  expect(rowOf('Listener', {}).text).toMatch(/^last delivery /)
  const row = rowOf('Listener', { listener: { ...listener, notStored: 3, state: 'failed' } })
  expect(row).toMatchObject({ look: { tone: 'bad' }, text: expect.stringMatching(/ · 3 not stored$/) })
})

test('calls a new API key not verified, and shows no reset for unused requests', () => {
  const session = { state: 'signed-in' as const, problem: null, endsAt: null }
  const network = { reachable: false, lastAnswerAt: null, problem: null }
  expect(rowOf('Sign-in', { session, network }).look).toMatchObject({ tone: 'quiet', label: 'Not verified' })
  const known = { ...session, endsAt: '2026-01-09T02:00:00Z' }
  for (const [reachable, tone] of [
    [true, 'ok'],
    [false, 'quiet'],
  ] as const)
    for (const row of ['Sign-in', 'Requests'])
      expect(rowOf(row, { session: known, network: { ...network, reachable } }).look.tone).toBe(tone)
  expect(rowOf('Requests', { network })).toMatchObject({ look: { label: 'Unknown' }, text: '' })
  const budget = { ...ordinaryStatus().budget!, resetsAt: '2026-01-05T12:00:22Z' }
  expect(rowOf('Requests', { budget }).text).toContain('resets in 22 s')
  const rounded = { ...budget, resetsAt: '2026-01-05T12:01:01Z' }
  expect(rowOf('Requests', { budget: rounded }).text).toMatch(/resets in 1 min( ·|$)/)
  expect(rowOf('Requests', { budget: { ...budget, resetsAt: null } }).text).not.toContain('reset')
  const unused = { ...budget, usedByUs: 0, usedByOthers: 0 }
  expect(rowOf('Requests', { budget: unused }).text).not.toContain('reset')
})

test('counts down a rate limit, and ends it at its time even if the next status is late', () => {
  const limited = (pausedUntil: string, resetsAt: string) =>
    rowOf('Requests', { budget: { ...ordinaryStatus().budget!, pausedUntil, resetsAt } })
  const during = limited('2026-01-05T12:00:12Z', '2026-01-05T12:00:22Z')
  expect(during.look.label).toContain('12 s')
  expect(during.text).toContain('resets in 22 s')
  const after = limited('2026-01-05T12:00:00Z', '2026-01-05T12:00:00Z')
  expect(after.look.label).toBe('105 of 200 left')
  expect(after.text).not.toContain('reset')
})

test('warns a day before a sign-in expires', () => {
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

test('never says that the listener has not run while it listens', () => {
  const answer = { recordedSince: null, asOf: '2026-01-05T12:00:00Z' }
  expect(noGapsText(answer, 7, false)).toBe(
    'Nothing recorded yet. The listener hasn’t run for this connection.',
  )
  expect(noGapsText(answer, 7, true)).toBe('Nothing recorded yet.')
  expect(noGapsText({ ...answer, recordedSince: '2025-01-05T12:00:00Z' }, 7, true)).toBe(
    'No gaps in the last 7 days',
  )
})
