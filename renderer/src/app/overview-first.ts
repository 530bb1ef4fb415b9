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
  let shownId: string | null = null
  /** Opened here, but not in the status yet. */
  let pendingId: string | null = null

  function showOverview(id: string): void {
    if (id === shownId) return
    shownId = id
    void router.push('/overview')
  }

  watch(
    [known, connectionId, opening, opened],
    ([isKnown, id, isOpening, now], [wasKnown, wasId, wasOpening, before]) => {
      if (isOpening && !wasOpening) shownId = null
      if (now && now !== before) {
        pendingId = now.id
        showOverview(now.id)
      }
      if (!isKnown) return
      if (id === null) {
        if (isOpening || pendingId !== null) return
        shownId = null
        void router.push('/connect')
        return
      }
      if (id !== wasId || id === pendingId) pendingId = null
      if (!wasKnown) shownId = id
      else if (id !== wasId) showOverview(id)
    },
  )
}
