import { type Ref, onScopeDispose, watch } from 'vue'
import { useRouter } from 'vue-router'
import { attempt } from '../rpc/error-view.ts'
import { useRpc } from '../rpc/rpc.ts'

/** Rest after the last change of the address before it is kept, milliseconds. */
const restMs = 400

/**
 * Keeps where the window is, for each connection, and goes back there at the next start, unless the address says where to go or the
 * operator went somewhere meanwhile. The core keeps it: a window's own store ends with it.
 */
export function useLastPlace(
  known: Readonly<Ref<boolean>>,
  connectionId: Readonly<Ref<string | null>>,
): void {
  const { client } = useRpc()
  const router = useRouter()
  const saysNothing = ['', '#', '#/'].includes(window.location.hash)
  let rest: ReturnType<typeof setTimeout> | undefined
  /** Nothing is kept before it is known what was. */
  let isKeeping = false

  function keep(path: string): void {
    clearTimeout(rest)
    // One that is not kept costs a click at the next start.
    rest = setTimeout(() => void attempt(client.settings.setPlace({ path })), restMs)
  }

  const stop = router.afterEach((to) => {
    if (isKeeping && connectionId.value !== null && to.name !== 'connect') keep(to.fullPath)
  })

  async function goBack(): Promise<void> {
    await router.isReady()
    const start = router.currentRoute.value.fullPath
    const told = await attempt(client.settings.getPlace())
    isKeeping = true
    const path = told.ok ? told.value.path : null
    if (path !== null && router.currentRoute.value.fullPath === start) await router.replace(path)
  }

  // A connection that is opened by hand begins with its Overview: only one that is open from the start is gone back to.
  const stopWatch = watch(
    known,
    (isKnown) => {
      if (!isKnown || isKeeping) return
      if (saysNothing && connectionId.value !== null) void goBack()
      else isKeeping = true
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    clearTimeout(rest)
    stop()
    stopWatch()
  })
}
