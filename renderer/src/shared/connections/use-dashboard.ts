import { computed } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { errorText } from '../i18n/core-texts.ts'
import { useStatusStore } from '../status/status.store.ts'
import { useToastStore } from '../ui/toast.store.ts'

/** The service's dashboard of the connection on show, if the operator entered its address. */
export function useDashboard() {
  const { client } = useRpc()
  const status = useStatusStore()
  const toasts = useToastStore()
  const url = computed(() => status.connection?.dashboardUrl ?? null)
  return {
    hasDashboard: computed(() => url.value !== null),
    async openDashboard(): Promise<void> {
      const { connection } = status
      if (!connection || url.value === null) return
      const answer = await attempt(client.connections.openDashboard({ id: connection.id }))
      if (answer.ok) return
      // A browser opens it itself.
      if (answer.error.code === 'UNSUPPORTED') window.open(url.value, '_blank', 'noopener,noreferrer')
      else toasts.show(errorText(answer.error))
    },
  }
}
