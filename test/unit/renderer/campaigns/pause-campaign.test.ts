import { ORPCError } from '@orpc/client'
import { describe, expect, test } from 'vitest'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { DisconnectedError } from '../../../../renderer/src/rpc/error-view.ts'
import {
  createPauseCampaign,
  outcomesWithoutRow,
} from '../../../../renderer/src/shared/campaigns/pause-campaign.ts'

const running = { id: 'c-1' as CampaignId, name: 'Spring', status: 'running' } as Campaign

/** A pause over a client that answers as told. */
function begin(answer: () => unknown) {
  const sent: unknown[] = []
  const known: Campaign[] = []
  let doubts = 0
  const pause = createPauseCampaign({
    client: {
      campaigns: {
        async pause(input: unknown) {
          sent.push(input)
          return answer()
        },
      },
    } as never,
    onCampaign: (campaign) => known.push(campaign),
    onDoubt: () => doubts++,
    now: () => Date.UTC(2026, 0, 5, 9, 0, 0),
  })
  return { pause, sent, known, doubts: () => doubts, outcome: () => pause.outcomes.value.get(running.id) }
}

const refused =
  (code: string, data: Record<string, string> = {}) =>
  () => {
    throw new ORPCError(code, { data })
  }

describe('a pause', () => {
  test('is sent only after it was confirmed', async () => {
    const { pause, sent } = begin(() => ({ campaign: running, sentBefore: 4 }))
    pause.ask(running)
    pause.cancel()
    await pause.confirm(undefined)
    expect(sent).toEqual([])
  })

  test('that worked tells when and how many were sent, and hands on the new record', async () => {
    const paused = { ...running, status: 'paused' }
    const { pause, sent, known, outcome } = begin(() => ({ campaign: paused, sentBefore: 4 }))
    pause.ask(running)
    await pause.confirm(undefined)
    expect(sent).toEqual([{ id: 'c-1' }])
    expect(known).toEqual([paused])
    expect(outcome()).toEqual({
      title: 'Spring',
      kind: 'paused',
      at: '2026-01-05T09:00:00.000Z',
      sentBefore: 4,
    })
  })

  test('on a production connection carries the typed name', async () => {
    const { pause, sent } = begin(() => ({ campaign: running, sentBefore: 0 }))
    pause.ask(running)
    await pause.confirm('Acme production')
    expect(sent).toEqual([{ id: 'c-1', confirmName: 'Acme production' }])
  })

  test('of a campaign that was not running shows its true status and asks the service again', async () => {
    const { pause, known, doubts, outcome } = begin(refused('CAMPAIGN_NOT_RUNNING', { status: 'completed' }))
    pause.ask(running)
    await pause.confirm(undefined)
    expect(known.map(({ status }) => status)).toEqual(['completed'])
    expect(outcome()).toMatchObject({
      kind: 'not-running',
      error: { text: expect.stringContaining('completed') as string },
    })
    expect(doubts()).toBe(1)
  })

  test('of a campaign that somebody else had paused is told as such, and its row shows it', async () => {
    const { pause, known, outcome } = begin(refused('CAMPAIGN_ALREADY_PAUSED'))
    pause.ask(running)
    await pause.confirm(undefined)
    expect(known.map(({ status }) => status)).toEqual(['paused'])
    expect(outcome()).toEqual({ title: 'Spring', kind: 'already-paused' })
  })

  test.each([
    ['paused', 'It was paused already, from another window or by a colleague.'],
    ['completed', 'It is completed now.'],
  ])('asked about while the campaign became %s is no longer possible, and says so', async (status, said) => {
    const { pause, sent } = begin(() => ({ campaign: running, sentBefore: 0 }))
    pause.ask(running)
    pause.know({ items: [{ ...running, status }], total: 1, query: { page: 1, perPage: 20 } })
    expect(pause.asking.value).toMatchObject({ campaign: { status }, overtaken: said })
    await pause.confirm(undefined)
    expect(sent).toEqual([])
    expect(pause.asking.value).not.toBeNull()
  })

  test('asked about is over when its campaign left the running ones, but not when it may be on another page', () => {
    const { pause } = begin(() => ({ campaign: running, sentBefore: 0 }))
    const query = { page: 1, perPage: 20, status: 'running' as const }
    pause.ask(running)
    pause.know({ items: [], total: 21, query })
    pause.know({ items: [], total: 0, query: { page: 1, perPage: 20 } })
    expect(pause.asking.value?.overtaken).toBeNull()
    pause.know({ items: [], total: 0, query })
    expect(pause.asking.value?.overtaken).toBe('It is no longer among the running campaigns.')
  })

  test.each([
    ['OUTCOME_UNKNOWN', refused('OUTCOME_UNKNOWN'), 'unknown'],
    [
      'a connection lost meanwhile',
      () => {
        throw new DisconnectedError('gone')
      },
      'unknown',
    ],
    ['PAUSE_NOT_CONFIRMED', refused('PAUSE_NOT_CONFIRMED', { status: 'running' }), 'failed'],
    ['FORBIDDEN', refused('FORBIDDEN'), 'failed'],
  ])('that ended in %s is never told as done', async (_name, answer, kind) => {
    const { pause, known, doubts, outcome } = begin(answer)
    pause.ask(running)
    await pause.confirm(undefined)
    expect(outcome()).toMatchObject({ kind })
    expect(known).toEqual([])
    expect(doubts()).toBe(1)
  })

  test('under way is not asked about or sent a second time', async () => {
    let finish: (answer: unknown) => void = () => {}
    const { pause, sent, outcome } = begin(() => new Promise((resolve) => (finish = resolve)))
    pause.ask(running)
    const first = pause.confirm(undefined)
    expect(outcome()).toMatchObject({ kind: 'pausing' })
    pause.ask(running)
    expect(pause.asking.value).toBeNull()
    finish({ campaign: running, sentBefore: 0 })
    await first
    expect(sent).toHaveLength(1)
  })

  test('stays told when its row leaves the list, until it is put away', async () => {
    const { pause } = begin(() => ({ campaign: running, sentBefore: 0 }))
    pause.ask(running)
    await pause.confirm(undefined)
    expect(outcomesWithoutRow(pause.outcomes.value, [running])).toEqual([])
    expect(outcomesWithoutRow(pause.outcomes.value, [])).toMatchObject([{ outcome: { title: 'Spring' } }])
    pause.dismiss(running.id)
    expect(outcomesWithoutRow(pause.outcomes.value, [])).toEqual([])
  })
})
