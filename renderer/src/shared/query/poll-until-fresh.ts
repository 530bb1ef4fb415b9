import type { Freshness } from '#contract/define.ts'

/** How often to look for a slow service’s answer, milliseconds. */
const againMs = 1_500
/** A cached answer younger than this is the expected one, milliseconds. */
const youngMs = 60_000

/**
 * For `refetchInterval`. The core returns its cached answer while it still asks a slow service: this polls until the new one or an error
 * arrives. The core shares the running request, so polling costs no requests.
 */
export function pollUntilFresh({
  state: { data, error },
}: {
  state: { data: { freshness: Freshness } | undefined; error: unknown }
}): number | false {
  if (!data || error) return false
  const { source, error: failure, asOf } = data.freshness
  return source === 'cache' && !failure && Date.now() - Date.parse(asOf) > youngMs && againMs
}
