import { useSessionStorage } from '@vueuse/core'
import { type Ref, watch } from 'vue'
import { useOpening } from '../shared/connections/use-opening.ts'
import { useCapabilities } from '../shared/host/use-capabilities.ts'

/**
 * The connection that this tab keeps, also when another tab opens one; null if none. The desktop window keeps none: it shows the one in
 * front, which a notification can change.
 */
export function useOwnConnection(shownId: Readonly<Ref<string | null>>): Readonly<Ref<string | null>> {
  const ownId = useSessionStorage<string | null>('switchboard.connection', null)
  const capabilities = useCapabilities()
  const { opened } = useOpening()
  function keep(id: string | null | undefined): void {
    const isTab = capabilities.value !== null && !capabilities.value.includes('window.native')
    if (isTab && id) ownId.value = id
  }
  watch(opened, (now) => keep(now?.id), { flush: 'sync' })
  watch([shownId, capabilities], ([id]) => keep(id))
  return ownId
}
