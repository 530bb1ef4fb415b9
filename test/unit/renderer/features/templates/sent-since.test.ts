import { expect, test } from 'vitest'
import type { BulkSend } from '#contract/people/templates.ts'
import { sentSince } from '../../../../../renderer/src/features/templates/send-words.ts'

const nowMs = Date.parse('2026-01-05T12:00:00Z')
const send = (id: string, of: Partial<BulkSend> = {}): BulkSend => ({
  id,
  templateKey: 1,
  templateName: 'Offer',
  body: null,
  channelId: 'c',
  subject: id,
  state: 'finished',
  taskId: null,
  problem: null,
  counts: null,
  queued: 0,
  batchId: 'b',
  undoableUntil: null,
  createdAt: '2026-01-05T11:00:00Z',
  ...of,
})

test('finds the newest send of the same template since the dry run', () => {
  const mine = send('mine', { state: 'prepared', createdAt: '2026-01-05T10:30:00Z' })
  const all = [
    mine,
    send('before the dry run', { createdAt: '2026-01-05T10:00:00Z' }),
    send('an hour ago'),
    send('a dry run', { state: 'prepared', createdAt: '2026-01-05T11:50:00Z' }),
    send('undone', { state: 'undone', createdAt: '2026-01-05T11:50:00Z' }),
    send('of another template', { templateKey: 2, createdAt: '2026-01-05T11:50:00Z' }),
  ]
  expect(sentSince(mine, all, nowMs)?.id).toBe('an hour ago')
  expect(sentSince(mine, all.slice(0, 2), nowMs)).toBeNull()
  const days = 86_400_000
  expect(sentSince(mine, all, nowMs + 2 * days)).toBeNull()
})
