import type { ErrorView } from '#contract/define.ts'
import { until } from '@vueuse/core'
import { useRouter } from 'vue-router'
import { useStatusStore } from '../status/status.store.ts'
import { useUnsaved } from '../unsaved/use-unsaved.ts'
import { useConnectionsStore } from './connections.store.ts'
import { useOpening } from './use-opening.ts'

/**
 * Opens another connection, then a page of it (by default its Overview). Asks first if unsaved text would be lost. `opened` is
 * false if the operator stayed or chose another connection, or with a problem.
 */
export function useSwitch() {
  const store = useConnectionsStore()
  const { opened } = useOpening()
  const status = useStatusStore()
  const router = useRouter()
  const unsaved = useUnsaved()

  return async (id: string, path?: string): Promise<{ opened: boolean; problem: ErrorView | null }> => {
    // Leaving the page asks about its text. The operator may stay.
    if (unsaved.isDirty() && (await router.push('/overview'))) return { opened: false, problem: null }
    const answer = await store.open(id)
    if (!answer.ok) return { opened: false, problem: answer.error }
    if (opened.value?.id !== id) return { opened: false, problem: null }
    if (path === undefined) return { opened: true, problem: null }
    // Before the status names it, the page would still belong to the other connection.
    await until(() => status.connection?.id).toBe(id)
    return { opened: !(await router.push(path)), problem: null }
  }
}
