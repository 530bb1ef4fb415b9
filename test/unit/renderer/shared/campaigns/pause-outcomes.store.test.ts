import { expect, onTestFinished, test, vi } from 'vitest'
import { nextTick, ref } from 'vue'
import type { Connection } from '#contract/connection/connections.ts'
import type { CampaignId } from '#contract/domain.ts'
import type { PauseAllRun } from '#contract/views/campaigns.ts'
import type { PauseOutcome } from '../../../../../renderer/src/shared/campaigns/pause-campaign.ts'
import { usePauseOutcomesStore } from '../../../../../renderer/src/shared/campaigns/pause-outcomes.store.ts'
import { useStatusStore } from '../../../../../renderer/src/shared/status/status.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { connections, ordinaryStatus } from '../../../../helpers/scripted-answers.ts'

const autumn = 'autumn' as CampaignId
const spring = 'spring' as CampaignId
/** Left both campaigns running. */
const run: PauseAllRun = {
  id: 'r-1',
  startedAt: '2026-01-05T10:00:00Z',
  endedAt: '2026-01-05T10:01:00Z',
  newOnes: [],
  problem: null,
  items: [autumn, spring].map((id) => ({
    id,
    title: id,
    state: 'refused',
    receipt: null,
    error: { code: 'SERVICE_REJECTED', acted: 'no', data: {} },
  })),
}

/** A window, whose session storage is a page's before a reload. */
function open(storage = new Map<string, string>()) {
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
  })
  const app = createRendererApp({})
  onTestFinished(() => app.scope.stop())
  app.run(useStatusStore).start(ref(null))
  const show = (connection: Connection) =>
    app.streams[0]!.onItem({ ...ordinaryStatus(), connection } as never)
  show(connections[0])
  const pauses = app.run(usePauseOutcomesStore)
  return {
    pauses,
    show,
    tell: (id: CampaignId, outcome: PauseOutcome) =>
      (pauses.outcomes = new Map(pauses.outcomes).set(id, outcome)),
    dismiss: (id: CampaignId) =>
      (pauses.outcomes = new Map([...pauses.outcomes].filter(([one]) => one !== id))),
    failed: () => pauses.failed.map(({ id }) => id),
    async reloaded() {
      await nextTick()
      app.scope.stop()
      return open(storage)
    },
  }
}

test('keeps failed pauses, but none that was dismissed, while another connection is shown and after a reload', async () => {
  const { pauses, show, dismiss, failed, reloaded } = open()
  pauses.take(run)
  expect(failed()).toEqual([autumn, spring])
  dismiss(autumn)
  show(connections[1])
  expect(failed()).toEqual([])
  show(connections[0])
  pauses.take(run)
  expect(failed()).toEqual([spring])

  const next = await reloaded()
  next.pauses.take(run)
  expect(next.failed()).toEqual([spring])
})

test('takes from another *Pause all* which campaigns it paused, and when the others failed again', () => {
  const { pauses } = open()
  pauses.take(run)
  const [first, second] = run.items
  const again = { ...run, id: 'r-2', endedAt: null }
  pauses.take(again)
  pauses.take({
    ...again,
    endedAt: '2026-01-05T10:05:00Z',
    items: [first!, { ...second!, state: 'already-paused' }],
  })
  expect(pauses.failed).toMatchObject([{ id: autumn, outcome: { at: '2026-01-05T10:05:00Z' } }])
})

test('takes no failure of a campaign that was paused while the others were', () => {
  const { pauses, tell, failed } = open()
  tell(spring, { title: 'Spring', kind: 'already-paused' })
  pauses.take({ ...run, endedAt: null })
  tell(autumn, { title: 'Autumn', kind: 'paused', receipt: null })
  pauses.take(run)
  expect(failed()).toEqual([spring])
})
