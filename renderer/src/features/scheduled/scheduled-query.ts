import { ORPCError } from '@orpc/client'
import { type QueryClient, queryOptions } from '@tanstack/vue-query'
import type { ScheduledMessage } from '#contract/domain.ts'
import type { ScheduledReading, ScheduledStep } from '#contract/views/scheduled.ts'
import type { Client } from '../../rpc/rpc.ts'

/** The loaded part of the list. */
export interface Sweep {
  items: ReadonlyMap<string, ScheduledMessage>
  /** The last complete reading; null before the first. */
  reading: ScheduledReading | null
  /** Progress of the current reading. */
  progress: Extract<ScheduledStep, { kind: 'page' }> | null
  /** When entries last arrived, milliseconds since 1970: the time for judging what is overdue. */
  asOfMs: number
}

/** Minimum time between two readings, milliseconds, and the addition per entry: at most a twentieth of the tenant’s requests. */
const refreshMs = 60_000
const perItemMs = 60

/** Applies one step. `seen` has the IDs of this reading. Throws the error of a failed reading. */
function takeStep(was: Sweep, step: ScheduledStep, seen: Set<string>, nowMs: number): Sweep {
  switch (step.kind) {
    case 'kept':
    case 'page': {
      const items = new Map(was.items)
      for (const item of step.items) {
        items.set(item.id, item)
        seen.add(item.id)
      }
      if (step.kind === 'page') return { ...was, items, progress: step }
      // Another window may have found entries removed: its answer shows without older ones.
      return step.isLast
        ? { ...was, items: keep(items, seen), reading: step.reading, asOfMs: nowMs }
        : { ...was, items }
    }
    case 'fresh':
      return { ...was, reading: step.reading, progress: null }
    case 'done':
      for (const id of step.gone) seen.delete(id)
      return { items: keep(was.items, seen), reading: step.reading, progress: null, asOfMs: nowMs }
    case 'failed':
      throw new ORPCError(step.error.code, { data: step.error.data })
  }
}

const keep = (items: Sweep['items'], ids: ReadonlySet<string>) =>
  new Map([...items].filter(([id]) => ids.has(id)))

/** Reads the list, showing each page as it arrives. Earlier entries stay when a reading fails. */
export function scheduledQuery(client: Pick<Client, 'scheduled'>, queryKey: readonly unknown[]) {
  let freshForMs = refreshMs / 2
  let stopping = new AbortController()

  async function read(cache: QueryClient, ended: AbortSignal): Promise<Sweep> {
    stopping = new AbortController()
    const maxAgeMs = freshForMs
    freshForMs = refreshMs / 2
    const signal = AbortSignal.any([ended, stopping.signal])
    const before = cache.getQueryData<Sweep>(queryKey)
    let sweep: Sweep = { items: new Map(), reading: null, asOfMs: Date.now(), ...before, progress: null }
    let seen = new Set<string>()
    try {
      for await (const step of await client.scheduled.read({ freshForMs: maxAgeMs }, { signal })) {
        if (signal.aborted) break
        // Entries of the cached answer don’t count for the pages after it.
        if (step.kind === 'page' && sweep.progress === null) seen = new Set()
        sweep = takeStep(sweep, step, seen, Date.now())
        cache.setQueryData(queryKey, sweep)
      }
    } catch (cause) {
      if (!stopping.signal.aborted) throw cause
    }
    return { ...sweep, progress: null, asOfMs: Date.now() }
  }

  return {
    options: queryOptions({
      queryKey,
      queryFn: ({ client: cache, signal }: { client: QueryClient; signal: AbortSignal }) =>
        read(cache, signal),
      structuralSharing: false,
      refetchOnWindowFocus: true,
      refetchInterval: ({ state }: { state: { data: Sweep | undefined } }) =>
        Math.max(refreshMs, (state.data?.items.size ?? 0) * perItemMs),
    }),
    /** Makes the next reading ask the service, however fresh the core’s answer is. */
    askService: () => (freshForMs = 0),
    /** Ends the current reading; loaded pages stay. */
    stop: () => stopping.abort(),
  }
}
