import { expect, test } from 'vitest'
import type { CampaignId } from '#contract/domain.ts'
import { AppError } from '#contract/errors.ts'
import { createPauseAll } from '#electron/core/views/campaigns/pause-all.ts'
import { createPauseCampaign } from '#electron/core/views/campaigns/pause-campaign.ts'
import { createPauseReceipts } from '#electron/core/views/campaigns/pause-receipts.ts'
import { createReceiptsRepository } from '#electron/core/views/campaigns/receipts.repository.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { ordinaryCampaigns } from '../../../../helpers/scripted-answers.ts'
import { openState } from './open-state.ts'

const campaign = { ...ordinaryCampaigns()[0]!, status: 'running', sentCount: 90 }

test('believes the answer to a pause over an older copy of the campaign', async () => {
  const { pause } = createPauseCampaign({
    client: {
      campaigns: {
        list: () => Promise.reject(new Error('not asked')),
        get: () => Promise.resolve({ ...campaign, updatedAt: '2026-01-05T08:00:00.000Z' }),
        pause(_id, { onSend }) {
          onSend?.()
          return Promise.resolve({ ...campaign, status: 'paused', updatedAt: '2026-01-05T09:00:00.000Z' })
        },
      },
    },
    receipts: createPauseReceipts(createReceiptsRepository(openState())),
    records: { get: () => null, note: () => {} },
    onPaused: () => {},
    clock: createFakeClock(),
  })
  expect((await pause(campaign.id, 'operator')).campaign.status).toBe('paused')
})

test('returns a receipt with what was sent between the answer and the reading after it', async () => {
  const clock = createFakeClock()
  const receipts = createPauseReceipts(createReceiptsRepository(openState()))
  const after = async <T>(value: T, ms: number) => {
    await clock.advance(ms)
    return value
  }
  const { pause } = createPauseCampaign({
    client: {
      campaigns: {
        list: () => Promise.reject(new Error('not asked')),
        get: () => after({ ...campaign, status: 'paused', sentCount: 130 }, 1_000),
        pause(_id, { onSend }) {
          onSend?.()
          return after({ ...campaign, status: 'paused', sentCount: 100 }, 1_000)
        },
      },
    },
    receipts,
    records: {
      get: () => ({ campaign, readMs: clock.now() }),
      note: ([read], askedMs) => receipts.read(read!, askedMs, clock.now()),
    },
    onPaused: () => {},
    clock,
  })
  const beganMs = clock.now()
  // The second shares the first's request, which may have left already.
  let sent = 0
  const [{ receipt }] = await Promise.all([
    pause(campaign.id, 'operator'),
    pause(campaign.id, 'alert-rule', () => sent++),
  ])
  expect(sent).toBe(1)
  expect([receipt]).toEqual(receipts.of(campaign.id, 2))
  const at = (second: number) => new Date(beganMs + second * 1_000).toISOString()
  const times = { pausedAt: at(1), movedAfter: at(1), movedUntil: at(2) }
  expect(receipt).toMatchObject({ sentBefore: 90, sentAtPause: 100, sentLast: 130, ...times })
})

test('counts a shared pause as sent, and keeps its receipt, only while its request may have left', async () => {
  const receipts = createPauseReceipts(createReceiptsRepository(openState()))
  let request: { onSend?: () => void; onNotDone?: () => void } = {}
  const { pause } = createPauseCampaign({
    client: {
      campaigns: {
        list: () => Promise.reject(new Error('not asked')),
        get: () => Promise.reject(new Error('not asked')),
        pause(_id, options) {
          request = options!
          return new Promise(() => {})
        },
      },
    },
    receipts,
    records: { get: () => null, note: () => {} },
    onPaused: () => {},
    clock: createFakeClock(),
  })
  let sent = 0
  const join = () => void pause(campaign.id, 'alert-rule', () => sent++)
  void pause(campaign.id, 'operator')
  join()
  expect(sent).toBe(0)
  request.onSend!()
  expect(sent).toBe(1)
  expect(receipts.of(campaign.id, 2)).toMatchObject([{ state: 'sent' }])
  request.onNotDone!()
  join()
  expect(sent).toBe(1)
  expect(receipts.of(campaign.id, 2)).toEqual([])
})

test('Pause all asks for every pause at once, before it reads the list', async () => {
  const clock = createFakeClock()
  const ids = Array.from({ length: 10 }, (_item, at) => `c-${at}` as CampaignId)
  const asked: string[] = []
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const all = createPauseAll({
    readRunning() {
      asked.push('list')
      return Promise.resolve({ items: [campaign], atMs: clock.now(), complete: true })
    },
    known: () => null,
    async pause(id) {
      asked.push(id)
      await answered
      return { campaign: { ...campaign, id, status: 'paused' }, receipt: null }
    },
    notify: () => {},
    clock,
    log: quietLog,
  })
  all.start(ids)
  expect(asked).toEqual(ids)
  answer()
  await all.settled()
  expect(all.last()?.items.map(({ id, state }) => [id, state])).toEqual(ids.map((id) => [id, 'paused']))
  expect(all.last()?.newOnes).toMatchObject([{ id: campaign.id }])
})

test('Pause all ends at once when no campaign was paused', async () => {
  const all = createPauseAll({
    readRunning: () => Promise.reject(new Error('asked')),
    known: () => null,
    pause: () => Promise.reject(new AppError('SERVICE_UNREACHABLE')),
    notify: () => {},
    clock: createFakeClock(),
    log: quietLog,
  })
  all.start(['c-1'])
  await all.settled()
  expect(all.last()).toMatchObject({ items: [{ state: 'refused' }], problem: null })
  expect(all.last()?.endedAt).not.toBeNull()
})

test('Pause all notifies of refused and unconfirmed pauses', async () => {
  const notes: unknown[] = []
  const codes = ['SERVICE_REJECTED', 'OUTCOME_UNKNOWN', 'CAMPAIGN_ALREADY_PAUSED'] as const
  const all = createPauseAll({
    readRunning: () => Promise.resolve({ items: [], atMs: 0, complete: true }),
    known: () => null,
    pause: (id) => Promise.reject(new AppError(codes[Number(id)]!)),
    notify: (note) => void notes.push(note),
    clock: createFakeClock(),
    log: quietLog,
  })
  all.start(['0', '1', '2'])
  await all.settled()
  expect(all.last()?.items.map(({ state }) => state)).toEqual(['refused', 'unknown', 'already-paused'])
  expect(notes).toMatchObject([{ text: 'pausesFailed', count: 2 }])
})
