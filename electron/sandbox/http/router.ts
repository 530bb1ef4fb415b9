import { toId } from './checks.ts'
import type { Endpoint } from './endpoint.ts'

export type Router = ReturnType<typeof createRouter>

/**
 * Finds the endpoint for a method and a path below the base URL, with the path's `{id}`. Fixed paths win over `{id}`;
 * trailing slashes and empty parts match nothing.
 */
export function createRouter(endpoints: readonly Endpoint[]) {
  const fixed = new Map<string, Endpoint>()
  const withId: { method: string; before: string; after: string; endpoint: Endpoint }[] = []
  for (const endpoint of endpoints) {
    const [before, after] = endpoint.path.split('{id}')
    if (after === undefined) fixed.set(`${endpoint.method} ${endpoint.path}`, endpoint)
    else withId.push({ method: endpoint.method, before: before!, after, endpoint })
  }
  return (method: string, path: string): { endpoint: Endpoint; id: string } | null => {
    const endpoint = fixed.get(`${method} ${path}`)
    if (endpoint) return { endpoint, id: '' }
    for (const candidate of withId) {
      const { before, after } = candidate
      if (candidate.method !== method || !path.startsWith(before) || !path.endsWith(after)) continue
      const raw = path.slice(before.length, path.length - after.length)
      if (raw === '' || raw.includes('/')) continue
      try {
        return { endpoint: candidate.endpoint, id: toId(decodeURIComponent(raw)) }
      } catch {
        return null
      }
    }
    return null
  }
}
