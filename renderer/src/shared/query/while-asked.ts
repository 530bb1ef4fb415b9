import type { Freshness } from '#contract/define.ts'

/** How often a slow service's answer is looked for, milliseconds. */
const againMs = 1_500
/** A kept answer that is younger than this is the one that was waited for, milliseconds. */
const youngMs = 60_000

/**
 * For `refetchInterval`. The core gives its kept answer while a slow service is still being asked: this looks for the new one until
 * it is there, or the reason why there is none. The core shares the running request, so looking costs none.
 */
export function whileAsked({
  state: { data, error },
}: {
  state: { data: { freshness: Freshness } | undefined; error: unknown }
}): number | false {
  if (!data || error) return false
  const { source, error: failure, asOf } = data.freshness
  return source === 'cache' && !failure && Date.now() - Date.parse(asOf) > youngMs && againMs
}
