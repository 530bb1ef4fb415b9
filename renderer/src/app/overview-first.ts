import { until } from '@vueuse/core'
import { type Ref, computed, ref, watch } from 'vue'
import { useRouter } from 'vue-router'
import { useOpening } from '../shared/connections/use-opening.ts'

/** How long the first page waits for the core’s first status, milliseconds. */
const firstStatusMs = 1_000

/**
 * Shows the Overview when a connection opens, in this window or another; after signing in again, the page before that. A window learns of its own opening twice, in either order: by
 * the answer and by the status. The first one leads to the Overview; later navigation by the operator is kept. Between two connections
 * the core has none for a moment, which must not open Connect. Returns whether the Overview is about to show: no other page of the new
 * connection is drawn first.
 */
export function useOverviewFirst(
  /** False until the core’s first status. */
  known: Readonly<Ref<boolean>>,
  connectionId: Readonly<Ref<string | null>>,
): Readonly<Ref<boolean>> {
  const router = useRouter()
  const { opening, opened } = useOpening()
  let shownId: string | null = null
  /** Opened here, but not in the status yet. */
  let pendingId: string | null = null
  /** The operator went to another page since the opening began, perhaps one whose code still loads. */
  let hasMoved = false

  // Without a connection, the first page is Connect: the Overview must not be drawn and its chart library not loaded before.
  const stopFirst = router.beforeResolve(async () => {
    await until(known).toBe(true, { timeout: firstStatusMs })
    stopFirst()
    return known.value && connectionId.value === null && !opening.value ? '/connect' : undefined
  })

  const navigations = ref(0)
  router.beforeEach((to, from) => {
    if (navigations.value === 0 && opening.value && to.path !== from.path) hasMoved = true
  })
  async function showOverview(id: string): Promise<void> {
    if (id === shownId) return
    shownId = id
    if (hasMoved) return
    navigations.value++
    // After signing in again, the page where it was asked for.
    const { id: asked, from } = router.currentRoute.value.query
    const isBack = asked === id && typeof from === 'string' && from.startsWith('/')
    try {
      await router.push(isBack ? from : '/overview')
    } finally {
      navigations.value--
    }
  }

  watch(
    [known, connectionId, opening, opened],
    ([isKnown, id, isOpening, now], [wasKnown, wasId, wasOpening, before]) => {
      if (isOpening && !wasOpening) {
        shownId = null
        hasMoved = false
      }
      if (now && now !== before) {
        pendingId = now.id
        void showOverview(now.id)
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
      else if (id !== wasId) void showOverview(id)
    },
  )
  return computed(() => navigations.value > 0)
}
