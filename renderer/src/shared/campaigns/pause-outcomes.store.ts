import { defineStore } from 'pinia'
import { shallowRef, watch } from 'vue'
import { useStatusStore } from '../status/status.store.ts'
import type { Outcomes } from './pause-campaign.ts'

/** How the pauses of the open connection went. They outlast their page, so that a failed one isn't forgotten. */
export const usePauseOutcomesStore = defineStore('campaigns.pauses', () => {
  const outcomes = shallowRef<Outcomes>(new Map())
  const status = useStatusStore()
  watch(
    () => status.connection?.id,
    () => (outcomes.value = new Map()),
  )
  return { outcomes }
})
