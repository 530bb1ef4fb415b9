import { useQuery } from '@tanstack/vue-query'
import { watch } from 'vue'
import { failureLimitOf } from '#contract/views/campaign-alert-rules.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { failureLimit } from '../format/failures.ts'
import { useQueryKey } from '../query/use-query-key.ts'
import { useStatusStore } from '../status/status.store.ts'

/** Takes the limit of red shares from the default alert rule of the connection on show. For the shell. */
export function useFailureLimit(): void {
  const { client } = useRpc()
  const keyOf = useQueryKey()
  const status = useStatusStore()
  const { data } = useQuery(() => ({
    // Read again whenever the rules are.
    queryKey: keyOf('campaigns', 'rules', 'default'),
    enabled: status.connection !== null,
    queryFn: async () => {
      const { alertRules } = await client.campaigns.alertRules()
      return alertRules.find(({ campaignId }) => campaignId === null) ?? null
    },
  }))
  watch(data, (rule) => (failureLimit.value = failureLimitOf(rule ?? null)), { immediate: true })
}
