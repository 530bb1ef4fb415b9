import { type Ref, onScopeDispose, watch } from 'vue'
import { useRouter } from 'vue-router'
import { attempt } from '../rpc/error-view.ts'
import { useRpc } from '../rpc/rpc.ts'

/** Pages where a window starts before the operator goes anywhere. */
const startPaths = ['/', '/connect', '/overview']
/** Delay before a page is saved, milliseconds. */
const restMs = 400

/**
 * Saves the page a window shows, for each connection, and returns to it at the next start, unless the address names a page or the
 * operator opened one meanwhile. Stored in the core, because the window’s own storage ends with it.
 */
export function useLastPlace(
  connectionId: Readonly<Ref<string | null>>,
  opening: Readonly<Ref<boolean>>,
): void {
  const { client } = useRpc()
  const router = useRouter()
  const saysNothing = ['', '#', '#/'].includes(window.location.hash)
  let rest: ReturnType<typeof setTimeout> | undefined
  /** False until the saved page has been read, so that the start page does not replace it. */
  let isKeeping = false
  let hasNavigated = false

  function keep(path: string): void {
    clearTimeout(rest)
    // A page that could not be saved costs one click at the next start.
    rest = setTimeout(() => void attempt(client.settings.setPlace({ path })), restMs)
  }

  // Called before the page shows: a click counts while its code still loads.
  const stopGuard = router.beforeEach((to) => {
    if (!startPaths.includes(to.fullPath)) hasNavigated = true
  })
  const stop = router.afterEach((to, _from, failure) => {
    if (!failure && isKeeping && connectionId.value !== null && to.name !== 'connect') keep(to.fullPath)
  })

  async function goBack(): Promise<void> {
    await router.isReady()
    const answer = await attempt(client.settings.getPlace())
    isKeeping = true
    const path = answer.ok ? answer.value.path : null
    if (path !== null && !hasNavigated) await router.replace(path)
  }

  // A connection that the operator opens starts at its Overview.
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
    stopGuard()
    stop()
    stopWatch()
  })
}
