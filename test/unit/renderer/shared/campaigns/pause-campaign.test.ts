import { ORPCError } from '@orpc/client'
import { describe, expect, test } from 'vitest'
import { shallowRef } from 'vue'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { DisconnectedError } from '../../../../../renderer/src/rpc/error-view.ts'
import {
  createPauseCampaign,
  type PauseOutcome,
  settledOutcomes,
} from '../../../../../renderer/src/shared/campaigns/pause-campaign.ts'
import { aReceipt } from '../../../../helpers/scripted/campaigns.ts'

const receipt = aReceipt({ campaignId: 'c-1' })
const running = { id: 'c-1' as CampaignId, name: 'Spring', status: 'running' } as Campaign

const failedBefore: PauseOutcome = {
  title: 'Spring',
  kind: 'failed',
  error: { code: 'FORBIDDEN', acted: 'no', data: {} },
  at: '2026-01-05T10:00:00Z',
}

/** A pause whose client answers with `answer`. */
function begin(answer: () => unknown, typeName: string | null = null) {
  const sent: unknown[] = []
  const known: Campaign[] = []
  let doubts = 0
  const leaving = new AbortController()
  const pause = createPauseCampaign({
    client: {
      campaigns: {
        async pause(input: unknown) {
          sent.push(input)
          return answer()
        },
        detail: async () => ({ campaign: running }),
      },
    } as never,
    outcomes: shallowRef(new Map()),
    typeName: () => typeName,
    typedName: shallowRef(),
    onPaused: (campaign) => known.push(campaign),
    onDoubt: () => doubts++,
    left: leaving.signal,
  })
  return {
    leave: () => leaving.abort(),
    pause,
    sent,
    known,
    doubts: () => doubts,
    outcome: () => pause.outcomes.value.get(running.id),
  }
}

const refused =
  (code: string, data: Record<string, string> = {}) =>
  () => {
    throw new ORPCError(code, { data })
  }

describe('a pause', () => {
  test('is sent only after confirmation', async () => {
    const { pause, sent } = begin(() => ({ campaign: running, receipt }))
    pause.ask(running)
    pause.cancel()
    await pause.confirm(undefined)
    expect(sent).toEqual([])
  })

  test('that worked shows its receipt and passes on the new record', async () => {
    const paused = { ...running, status: 'paused' }
    const { pause, sent, known, outcome } = begin(() => ({ campaign: paused, receipt }))
    pause.ask(running)
    await pause.confirm(undefined)
    expect(sent).toEqual([{ id: 'c-1' }])
    expect(known).toEqual([paused])
    expect(outcome()).toEqual({ title: 'Spring', kind: 'paused', receipt })
  })

  test('that fails after its page was left shows nothing: the core notifies', async () => {
    const { pause, leave, outcome, doubts } = begin(() => {
      leave()
      throw new ORPCError('FORBIDDEN')
    })
    pause.ask(running)
    await pause.confirm(undefined)
    expect([outcome(), doubts()]).toEqual([undefined, 0])
  })

  test('on a production connection carries the typed name', async () => {
    const { pause, sent } = begin(() => ({ campaign: running, receipt }))
    pause.ask(running)
    await pause.confirm('Acme production')
    expect(sent).toEqual([{ id: 'c-1', confirmName: 'Acme production' }])
  })

  test.each([
    ['paused', 'Already paused elsewhere.'],
    ['completed', 'Status: Completed.'],
  ])('can’t be confirmed once the campaign became %s, and says so', async (status, said) => {
    const { pause, sent } = begin(() => ({ campaign: running, receipt }))
    pause.ask(running)
    pause.know({ items: [{ ...running, status }], total: 1 }, undefined)
    expect(pause.asking.value).toMatchObject({ campaign: { status }, overtaken: said })
    await pause.confirm(undefined)
    expect(sent).toEqual([])
    expect(pause.asking.value).not.toBeNull()
  })

  test('can’t be confirmed once its campaign left a complete list of running ones', () => {
    const { pause } = begin(() => ({ campaign: running, receipt }))
    pause.ask(running)
    pause.know({ items: [], total: 21 }, 'running')
    pause.know({ items: [], total: 0 }, undefined)
    expect(pause.asking.value?.overtaken).toBeNull()
    pause.know({ items: [], total: 0 }, 'running')
    expect(pause.asking.value?.overtaken).toBe('No longer running.')
  })

  test.each([
    ['OUTCOME_UNKNOWN', refused('OUTCOME_UNKNOWN'), { kind: 'unknown' }],
    ['a lost connection', () => Promise.reject(new DisconnectedError('gone')), { kind: 'unknown' }],
    ['PAUSE_NOT_CONFIRMED', refused('PAUSE_NOT_CONFIRMED', { status: 'running' }), { kind: 'unknown' }],
    ['FORBIDDEN', refused('FORBIDDEN'), { kind: 'failed' }],
    ['CAMPAIGN_ALREADY_PAUSED', refused('CAMPAIGN_ALREADY_PAUSED'), { kind: 'already-paused' }],
    [
      'CAMPAIGN_NOT_RUNNING',
      refused('CAMPAIGN_NOT_RUNNING', { status: 'completed' }),
      { kind: 'not-running', error: { data: { status: 'completed' } } },
    ],
  ])('that ended in %s is never shown as done, and reads the list again', async (_name, answer, shown) => {
    const { pause, known, doubts, outcome } = begin(answer)
    pause.ask(running)
    await pause.confirm(undefined)
    expect(outcome()).toMatchObject({ title: 'Spring', ...shown })
    expect(known).toEqual([])
    expect(doubts()).toBe(1)
  })

  test('that failed can be tried again, until a reading shows that the campaign stopped', async () => {
    const { pause, sent, outcome } = begin(refused('OUTCOME_UNKNOWN'))
    pause.ask(running)
    await pause.confirm('Acme')
    void pause.again(running.id)
    await expect.poll(() => sent).toEqual(Array(2).fill({ id: 'c-1', confirmName: 'Acme' }))
    await expect.poll(outcome).toMatchObject({ kind: 'unknown' })
    pause.know({ items: [running], total: 1 }, undefined)
    pause.know({ items: [{ ...running, status: null }], total: 1 }, undefined)
    expect(outcome()).toBeDefined()
    pause.know({ items: [{ ...running, status: 'paused' }], total: 1 }, undefined)
    expect(outcome()).toBeUndefined()
  })

  test('asks before it is tried again when the connection’s name was not typed since a reload', async () => {
    const { pause, sent } = begin(refused('FORBIDDEN'), 'Live')
    pause.outcomes.value = new Map([[running.id, failedBefore]])
    await pause.again(running.id)
    expect(sent).toEqual([])
    expect(pause.asking.value).toEqual({ campaign: running, overtaken: null })
    await pause.confirm('Live')
    await pause.again(running.id)
    expect(sent).toEqual(Array(2).fill({ id: 'c-1', confirmName: 'Live' }))
  })

  test('in progress is neither confirmed nor sent again', async () => {
    let finish: (answer: unknown) => void = () => {}
    const { pause, sent, outcome } = begin(() => new Promise((resolve) => (finish = resolve)))
    pause.outcomes.value = new Map([[running.id, failedBefore]])
    pause.ask(running)
    const first = pause.again(running.id)
    expect(outcome()).toMatchObject({ kind: 'pausing' })
    void pause.confirm(undefined)
    pause.ask(running)
    expect(pause.asking.value).toBeNull()
    finish({ campaign: running, receipt })
    await first
    expect(sent).toHaveLength(1)
  })

  test('stays shown until dismissed', async () => {
    const { pause } = begin(() => ({ campaign: running, receipt }))
    pause.ask(running)
    await pause.confirm(undefined)
    expect(settledOutcomes(pause.outcomes.value)).toMatchObject([{ outcome: { title: 'Spring' } }])
    pause.dismiss(running.id)
    expect(settledOutcomes(pause.outcomes.value)).toEqual([])
  })
})
