import { type Ref, watch } from 'vue'
import { useRouter } from 'vue-router'
import { useOpening } from '../shared/connections/use-opening.ts'

/**
 * Shows the Overview when a connection opens, in this window or another. A window learns of its own opening twice, in either order: by
 * the answer and by the status. The first one leads to the Overview; later navigation by the operator is kept. Between two connections
 * the core has none for a moment, which must not open Connect.
 */
export function useOverviewFirst(
  /** False until the core’s first status. */
  known: Readonly<Ref<boolean>>,
  connectionId: Readonly<Ref<string | null>>,
): void {
  const router = useRouter()
  const { opening, opened } = useOpening()
  let ledTo: string | null = null
  /** Opened here, but not in the status yet. */
  let awaited: string | null = null

  function lead(id: string): void {
    if (id === ledTo) return
    ledTo = id
    void router.push('/overview')
  }

  watch(
    [known, connectionId, opening, opened],
    ([isKnown, id, isOpening, now], [wasKnown, wasId, wasOpening, before]) => {
      if (isOpening && !wasOpening) ledTo = null
      if (now && now !== before) {
        awaited = now.id
        lead(now.id)
      }
      if (!isKnown) return
      if (id === null) {
        if (isOpening || awaited !== null) return
        ledTo = null
        void router.push('/connect')
        return
      }
      if (id !== wasId || id === awaited) awaited = null
      if (!wasKnown) ledTo = id
      else if (id !== wasId) lead(id)
    },
  )
}
