import { computed, type Ref, shallowRef } from 'vue'
import { useRegion } from '../format/regions.ts'
import { useStatusStore } from '../status/status.store.ts'

/** The country of a form's numbers in national form: as selected here, else the connection's, else as last selected in this window.
 * Null while none is known: only numbers with their country code can be read. */
export function useNumberRegion(): Ref<string | null> {
  const status = useStatusStore()
  const last = useRegion()
  const selected = shallowRef<string | null>(null)
  return computed({
    get: () => selected.value ?? status.connection?.country ?? last.value,
    set: (region) => {
      selected.value = region
      last.value = region
    },
  })
}
