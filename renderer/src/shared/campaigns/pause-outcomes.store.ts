import type { CampaignId } from '#contract/domain.ts'
import type { PauseAllRun } from '#contract/views/campaigns.ts'
import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { useStatusStore } from '../status/status.store.ts'
import { type FailedOutcome, hasFailed, type Outcomes } from './pause-campaign.ts'

/** How the pauses of the open connection went. They outlast their page, so that a failed one isn't forgotten. */
export const usePauseOutcomesStore = defineStore('campaigns.pauses', () => {
  const outcomes = shallowRef<Outcomes>(new Map())
  /** The connection's name as typed for *Pause all*, on a production connection. */
  const typedName = shallowRef<string>()
  let takenRun: string | null = null
  const status = useStatusStore()
  watch(
    () => status.connection?.id,
    () => {
      outcomes.value = new Map()
      typedName.value = undefined
      takenRun = null
    },
  )
  return {
    outcomes,
    typedName,
    /** Pauses after which the campaign may still be sending. */
    failed: computed(() =>
      [...outcomes.value].flatMap(([id, outcome]) => (hasFailed(outcome) ? [{ id, outcome }] : [])),
    ),
    /** Takes what an ended *Pause all* left running, once. */
    take({ id, endedAt, items }: PauseAllRun): void {
      if (endedAt === null || id === takenRun) return
      takenRun = id
      const left = items.flatMap(({ id, title, state, error }): [CampaignId, FailedOutcome][] =>
        error && (state === 'refused' || state === 'unknown')
          ? [
              [
                id as CampaignId,
                {
                  title,
                  kind: state === 'refused' ? 'failed' : 'unknown',
                  error,
                  typedName: typedName.value,
                },
              ],
            ]
          : [],
      )
      if (left.length > 0) outcomes.value = new Map([...outcomes.value, ...left])
    },
  }
})
