import { watch } from 'vue'
import { failureLimitOf } from '#contract/views/campaign-alert-rules.ts'
import { failureLimit } from '../format/failures.ts'
import { useAnswer } from '../query/use-answer.ts'
import { useStatusStore } from '../status/status.store.ts'

/** Takes the limit of red shares from the default alert rule of the connection on show. For the shell. */
export function useFailureLimit(): void {
  const status = useStatusStore()
  const { data } = useAnswer(
    // Read again whenever the rules are.
    () => ['campaigns', 'rules', 'default'],
    async (client) => {
      const { alertRules } = await client.campaigns.alertRules()
      return alertRules.find(({ campaignId }) => campaignId === null) ?? null
    },
    () => ({ enabled: status.connection !== null }),
  )
  watch(data, (rule) => (failureLimit.value = failureLimitOf(rule ?? null)), { immediate: true })
}
