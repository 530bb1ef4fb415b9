import { expect, test } from 'vitest'
import type { Campaign } from '#contract/domain.ts'
import { createSnapshotsRepository } from '#electron/core/views/campaigns/snapshots.repository.ts'
import { paceOf } from '#electron/core/views/campaigns/campaign-pace.ts'
import { ordinaryCampaigns } from '../../../../helpers/scripted-answers.ts'
import { openState } from './open-state.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const begin = Date.UTC(2026, 0, 5)
const campaign = ordinaryCampaigns()[0]!

test('stores readings of the same counts as one snapshot, unless there is a gap', () => {
  const snapshots = createSnapshotsRepository(openState())
  const note = (afterMs: number, of: Partial<Campaign> = {}) =>
    snapshots.note([{ ...campaign, ...of }], begin + afterMs)
  note(0)
  note(10_000)
  note(20_000, { sentCount: 80_000 })
  note(30_000, { sentCount: 80_000 })
  note(30_000 + hourMs, { sentCount: 80_000 })
  const spans = snapshots.since(campaign.id, 0).map(({ atMs, untilMs }) => [atMs - begin, untilMs - begin])
  expect(spans).toEqual([
    [0, 10_000],
    [20_000, 30_000],
    [30_000 + hourMs, 30_000 + hourMs],
  ])
})

test('thins readings to one a minute after an hour and one an hour after a day, and keeps the newest', () => {
  const db = openState()
  const snapshots = createSnapshotsRepository(db)
  const stepMs = 20_000
  const lastMs = 30 * hourMs
  db.transaction(() => {
    for (let afterMs = 0; afterMs <= lastMs; afterMs += stepMs)
      snapshots.note([{ ...campaign, sentCount: afterMs / stepMs }], begin + afterMs)
  })()
  const nowMs = begin + lastMs
  snapshots.thin(nowMs)
  const kept = snapshots.since(campaign.id, 0)
  const between = (fromMs: number, toMs: number) =>
    kept.filter(({ atMs }) => atMs >= nowMs - toMs && atMs < nowMs - fromMs).length
  expect(between(0, hourMs)).toBe(180)
  expect(between(hourMs, dayMs)).toBe(23 * 60)
  expect(between(dayMs, 30 * hourMs)).toBe(6)
  expect(kept.at(-1)?.atMs).toBe(nowMs)
  expect(snapshots.thin(nowMs)).toBe(0)
  snapshots.thin(nowMs + 32 * dayMs)
  expect(snapshots.since(campaign.id, 0)).toEqual([])
})

test('reads often for a rule, an open page and a receipt, and less often when few requests are left', () => {
  const budget = { limitPerMinute: 200, remaining: 180, pausedForMs: 0 }
  const idle = { pageOpen: false, guarded: false, receiptOpen: false, listRequests: 1, budget }
  const low = { ...budget, remaining: 30 }
  for (const [change, periodMs, because] of [
    [{}, 60_000, 'in-background'],
    [{ pageOpen: true }, 10_000, 'looked-at'],
    [{ guarded: true }, 10_000, 'guarded'],
    [{ pageOpen: true, receiptOpen: true }, 5_000, 'receipt'],
    [{ pageOpen: true, budget: low }, 30_000, 'budget-low'],
    [{ budget: low }, 60_000, 'budget-low'],
    [{ pageOpen: true, guarded: true, budget: low }, 10_000, 'looked-at'],
    [{ pageOpen: true, budget: { ...budget, pausedForMs: 22_000 } }, 22_000, 'rate-limited'],
  ] as const)
    expect(paceOf({ ...idle, ...change })).toEqual({ periodMs, because })
})
