import { useQuery } from '@tanstack/vue-query'
import { useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from '../query/use-query-key.ts'
import { pollMs } from './use-campaigns.ts'

/** All alert rules, when they were last checked, the newest 100 alerts, and campaigns that run again. Costs no request. */
export function useAlertRules() {
  const { client } = useRpc()
  const keyOf = useQueryKey()
  return useQuery(() => ({
    queryKey: keyOf('campaigns', 'rules'),
    async queryFn() {
      const [{ alertRules, watch, resumed }, { items }] = await Promise.all([
        client.campaigns.alertRules(),
        client.campaigns.trips({ limit: 100 }),
      ])
      return { alertRules, watch, resumed, trips: items }
    },
    refetchInterval: pollMs,
  }))
}
