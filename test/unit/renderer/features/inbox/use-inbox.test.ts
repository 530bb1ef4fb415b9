import { describe, expect, test } from 'vitest'
import { scriptedRow } from '../../../../helpers/scripted-events.ts'
import type { Conversation } from '#contract/live/inbox.ts'
import { withKept } from '../../../../../renderer/src/features/inbox/use-inbox.ts'
import {
  describeVerdict,
  hasLeft,
  isAfterOptOut,
  linesOf,
  markOf,
  titleOf,
} from '../../../../../renderer/src/features/inbox/inbox-words.ts'

const at = (seq: number): Conversation => ({
  sender: String(seq),
  phone: `+${seq}`,
  number: `+${seq}`,
  contact: null,
  messages: 1,
  unread: 0,
  optOuts: 0,
  possibleOptOuts: 0,
  blocked: null,
  work: null,
  last: { seq, content: 'x', receivedAt: '2026-01-05T09:00:00.000Z', optOut: false },
})
const order = (rows: readonly Conversation[]) => rows.map(({ last }) => last.seq)

describe('the open conversation', () => {
  test('keeps its place in a list that no longer has it', () => {
    expect(order(withKept([at(9), at(5), at(2)], at(7)))).toEqual([9, 7, 5, 2])
    expect(order(withKept([at(9)], at(7)))).toEqual([9, 7])
    expect(order(withKept([at(5)], at(7)))).toEqual([7, 5])
    expect(order(withKept([], at(7)))).toEqual([7])
  })

  test('appears once when listed, and not at all when none is open', () => {
    expect(order(withKept([at(9), at(7)], at(7)))).toEqual([9, 7])
    expect(order(withKept([at(9)], null))).toEqual([9])
  })
})

describe('labels', () => {
  test('name a conversation by its contact, else by its number', () => {
    expect(titleOf({ contact: { id: 1, name: 'Ada' }, phone: null, number: '+1' })).toBe('Ada')
    expect(titleOf({ contact: { id: 1, name: '' }, phone: null, number: '+1' })).toBe('+1')
    expect(titleOf({ contact: null, phone: '+34600000001', number: '0034 600 000 001' })).toBe('+34600000001')
    expect(titleOf({ contact: null, phone: null, number: null })).toBe('Unknown sender')
  })

  test('show a block before a past opt-out', () => {
    const mark = (blocked: 'dnc' | 'hold' | null, optOuts: number, possibleOptOuts = 0) =>
      markOf({ blocked, optOuts, possibleOptOuts })?.label
    expect(mark('dnc', 1)).toBe('On DNC list')
    expect(mark('hold', 1)).toBe('On hold')
    expect(mark(null, 1)).toBe('Opt-out')
    expect(mark(null, 0)).toBeUndefined()
    expect(mark('dnc', 1, 1)).toBe('Possible opt-out')
  })

  test('call only a clear verdict clear, with the time of the last sync', () => {
    const nowMs = Date.parse('2026-01-05T12:00:00Z')
    const verdict = { input: '+1', phone: '+1', reason: null, since: null, asOf: '2026-01-05T09:00:00Z' }
    const tell = (of: Partial<Parameters<typeof describeVerdict>[0]>) => {
      const { look, text } = describeVerdict(
        { ...verdict, verdict: 'clear', source: 'none', ...of } as Parameters<typeof describeVerdict>[0],
        nowMs,
      )
      return `${look.label}: ${text}`
    }
    expect(tell({})).toBe('Clear: synced 3 h ago')
    expect(tell({ verdict: 'not-known', asOf: null })).toBe('Unknown: DNC list never synced')
    expect(tell({ verdict: 'not-known', source: 'dnc', reason: { key: 'dnc.maybeOnDnc' } })).toBe(
      'May be listed: An unreadable entry of the DNC list may be this number.',
    )
    expect(tell({ verdict: 'blocked', source: 'dnc', reason: 'complaint' })).toBe(
      'On DNC list: complaint · synced 3 h ago',
    )
    expect(tell({ verdict: 'blocked', source: 'hold', reason: 'STOP', since: '2026-01-05T10:00:00Z' })).toBe(
      'On hold: “STOP” · 2 h ago',
    )
  })
})

test('a conversation shows what was sent, once each, with its furthest report', () => {
  const report = (seq: number, messageId: string, status: string) =>
    scriptedRow(seq, seq * 1_000, { messageId, status })
  const iso = (seconds: number) => new Date(seconds * 1_000).toISOString()
  const sent = {
    author: null,
    itemId: 7,
    batchId: 'b',
    batchTitle: 'Test',
    messageId: 'own',
    templateName: null,
    text: 'Hi',
    state: 'done' as const,
    serviceStatus: 'queued',
    queuedAt: iso(9),
    endedAt: iso(10),
  }
  const inbound = scriptedRow(5, 5_000, { kind: 'mo', messageId: 'in' })
  // The submitted report of `late` arrived last.
  const reports = [
    report(14, 'late', 'submitted'),
    report(13, 'late', 'failed'),
    report(12, 'own', 'delivered'),
    report(11, 'own', 'submitted'),
    report(3, 'old', 'submitted'),
  ]
  const told = (isWhole: boolean) =>
    linesOf([inbound], [sent], reports, isWhole).map((line) =>
      line.kind === 'received' ? 'in' : `${line.key} ${line.report?.status ?? 'none'}`,
    )
  expect(told(true)).toEqual(['mlate failed', 's7 delivered', 'in', 'mold submitted'])
  // A colleague's message takes its reports, too, and the time of the first.
  const byAna = { ...sent, author: 'Ana', itemId: null, batchId: null, messageId: 'late' }
  expect(linesOf([], [byAna], reports.slice(0, 2), true)).toMatchObject([
    { kind: 'sent', sent: { queuedAt: iso(13) }, report: { status: 'failed' } },
  ])
  expect(told(false)).toEqual(['mlate failed', 's7 delivered', 'in'])
  // Only what left counts as sent.
  const states = ['rejected', 'held', 'queued', 'in-flight', 'unknown', 'done'] as const
  const left = states.map((state) => hasLeft(linesOf([], [{ ...sent, state }], [], true)[0]!))
  expect(left).toEqual([false, false, false, true, true, true])
  expect(linesOf([inbound], [], reports, true).map(hasLeft)).toEqual([true, true, false, true])
  // Queued before the opt-out, but sent after it.
  const late = (at: number) =>
    linesOf([inbound], [sent], reports, true).map((line) => isAfterOptOut(line, { at: iso(at) }))
  expect(late(9.5)).toEqual([true, true, false, false])
  expect(late(11)).toEqual([true, false, false, false])
  const [waiting] = linesOf([], [{ ...sent, state: 'held' }], [], true)
  expect(isAfterOptOut(waiting!, { at: iso(1) })).toBe(false)
})
