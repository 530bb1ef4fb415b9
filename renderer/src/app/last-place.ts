import { type Ref, onScopeDispose, watch } from 'vue'
import { useRouter } from 'vue-router'
import { attempt } from '../rpc/error-view.ts'
import { useRpc } from '../rpc/rpc.ts'

/** Where a window is that nobody has led anywhere. */
const startPaths = ['/', '/connect', '/overview']
/** Rest after the last change of the address before it is kept, milliseconds. */
const restMs = 400

/**
 * Keeps where the window is, for each connection, and goes back there at the next start, unless the address says where to go or the
 * operator went somewhere meanwhile. The core keeps it: a window's own store ends with it.
 */
export function useLastPlace(
  connectionId: Readonly<Ref<string | null>>,
  opening: Readonly<Ref<boolean>>,
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
    const told = await attempt(client.settings.getPlace())
    isKeeping = true
    const path = told.ok ? told.value.path : null
    if (path !== null && startPaths.includes(router.currentRoute.value.fullPath)) await router.replace(path)
  }

  // One that this window opens begins with its Overview: only what the console opened by itself at its start is gone back to.
  const stopWatch = watch(
    [connectionId, opening],
    ([id, isOpening]) => {
      if (isKeeping) return
      if (isOpening || !saysNothing) isKeeping = true
      else if (id !== null) void goBack()
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    clearTimeout(rest)
    stop()
    stopWatch()
  })
}
