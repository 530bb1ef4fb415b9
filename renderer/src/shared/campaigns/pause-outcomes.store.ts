import type { CampaignId } from '#contract/domain.ts'
import type { PauseAllRun } from '#contract/views/campaigns.ts'
import { useStorage } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { useStatusStore } from '../status/status.store.ts'
import { type FailedOutcome, hasFailed, type Outcomes } from './pause-campaign.ts'

/** What is kept of a connection: failed pauses until they are dismissed or solved, and the *Pause all* they were taken from. */
interface Kept {
  failed: [CampaignId, FailedOutcome][]
  takenRun: string | null
}

/** How the pauses of the open connection went. They outlast their page, so that a failed one isn't forgotten. */
export const usePauseOutcomesStore = defineStore('campaigns.pauses', () => {
  const status = useStatusStore()
  const outcomes = shallowRef<Outcomes>(new Map())
  /** The connection's name as typed for a pause, on a production connection. */
  const typedName = shallowRef<string>()
  /** By connection, also after another one was shown or a reload. */
  const kept = useStorage<Record<string, Kept>>('switchboard.pauses', {}, globalThis.sessionStorage, {
    shallow: true,
    listenToStorageChanges: false,
  })
  const own = computed(() => kept.value[status.connection?.id ?? ''] ?? { failed: [], takenRun: null })
  const failed = computed(() =>
    [...outcomes.value].flatMap(([id, outcome]): Kept['failed'] =>
      hasFailed(outcome) ? [[id, outcome]] : [],
    ),
  )
  /** The last *Pause all* seen, and the outcomes before it. */
  let seen: { id: string; before: Outcomes } | null = null

  function keep(part: Partial<Kept>): void {
    const id = status.connection?.id
    if (id !== undefined) kept.value = { ...kept.value, [id]: { ...own.value, ...part } }
  }
  watch(
    () => status.connection?.id,
    () => {
      outcomes.value = new Map(own.value.failed)
      typedName.value = undefined
      seen = null
    },
    { immediate: true, flush: 'sync' },
  )
  watch(failed, (next) => keep({ failed: next }), { flush: 'sync' })

  return {
    outcomes,
    typedName,
    /** Pauses after which the campaign may still be sending. */
    failed: computed(() => failed.value.map(([id, outcome]) => ({ id, outcome }))),
    /** Takes how an ended *Pause all* went, once, unless a later pause of that campaign has an outcome. */
    take({ id: runId, endedAt, items }: PauseAllRun): void {
      if (seen?.id !== runId) seen = { id: runId, before: outcomes.value }
      const { before } = seen
      if (endedAt === null || runId === own.value.takenRun) return
      keep({ takenRun: runId })
      const next = new Map(outcomes.value)
      for (const { id: of, title, state, error } of items) {
        const id = of as CampaignId
        const outcome = next.get(id)
        if (outcome !== before.get(id)) continue
        const isLeft = state === 'refused' || state === 'unknown'
        if (isLeft || (outcome && hasFailed(outcome))) next.delete(id)
        // At the end: they are shown in the order of the pauses.
        if (error && isLeft)
          next.set(id, { title, kind: state === 'refused' ? 'failed' : 'unknown', error, at: endedAt })
      }
      outcomes.value = next
    },
  }
})
