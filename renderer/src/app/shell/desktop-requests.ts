import type { ErrorView } from '#contract/define.ts'
import type { DesktopRequest } from '#contract/connection/desktop.ts'
import { onScopeDispose, shallowRef, watch } from 'vue'
import { isNavigationFailure, NavigationFailureType, type RouteLocationRaw, useRouter } from 'vue-router'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'

const withoutConnection = ['/settings']

/**
 * Handles requests from the desktop: menu items, `switchboard://` links, opened files. Pages of a connection wait until one is open,
 * and so do opened files. The browser sends none.
 */
export function useDesktopRequests(parts: {
  connectionId: () => string | null
  showShortcuts: () => void
  showProblem: (error: ErrorView) => void
}): void {
  const { client, subscribe } = useRpc()
  const router = useRouter()
  const waiting = shallowRef<readonly DesktopRequest[]>([])
  const begun = new Set<string>()

  const stop = subscribe((rpc, signal) => rpc.desktop.requests(undefined, { signal }), {
    onItem: ({ requests }) => (waiting.value = requests),
    onLost: () => {},
    // The desktop may ask before it shows the window.
    whileHidden: true,
  })
  onScopeDispose(stop)

  type PageRequest = Extract<DesktopRequest, { kind: 'page' | 'import' }>

  /** Null while the request must wait. */
  function placeOf(request: PageRequest): RouteLocationRaw | null {
    if (request.kind === 'page' && (request.connectionId ?? parts.connectionId()) !== parts.connectionId())
      return null
    const isUsable =
      parts.connectionId() !== null ||
      (request.kind === 'page' && withoutConnection.includes(router.resolve(request.path).path))
    if (!isUsable) return null
    return request.kind === 'page' ? request.path : { path: '/imports', query: { opened: request.id } }
  }

  async function go(request: PageRequest, place: RouteLocationRaw): Promise<void> {
    await router.isReady()
    let failure = await router.push(place)
    // At startup another navigation may be pending. The requested page wins.
    if (isNavigationFailure(failure, NavigationFailureType.cancelled)) failure = await router.push(place)
    const isTaken = request.kind === 'import' && !failure
    if (!isTaken) await attempt(client.desktop.done({ id: request.id }))
  }

  watch(
    [waiting, parts.connectionId],
    () => {
      for (const request of waiting.value) {
        if (begun.has(request.id)) continue
        if (request.kind === 'page' || request.kind === 'import') {
          const place = placeOf(request)
          if (place === null) continue
          begun.add(request.id)
          void go(request, place)
          continue
        }
        begun.add(request.id)
        if (request.kind === 'refused') parts.showProblem(request.error)
        else parts.showShortcuts()
        void attempt(client.desktop.done({ id: request.id }))
      }
    },
    { immediate: true, flush: 'post' },
  )
}
