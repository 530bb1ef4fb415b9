import { type Ref, watch } from 'vue'
import { useRouter } from 'vue-router'
import { useOpening } from '../shared/connections/use-opening.ts'

/**
 * Whoever opens a connection, here or in another window, and from whichever page: its Overview comes first. Between two
 * connections the core has none for a moment, which is no reason to ask for one. What this window opens it is told of twice, by the
 * answer and by the status, in either order: the first one leads, and where the operator went since is left alone.
 */
export function useOverviewFirst(
  /** False until the core's status has come once. */
  known: Readonly<Ref<boolean>>,
  connectionId: Readonly<Ref<string | null>>,
): void {
  const router = useRouter()
  const { opening, opened } = useOpening()
  let ledTo: string | null = null
  /** Opened here, and not in the status yet. */
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
