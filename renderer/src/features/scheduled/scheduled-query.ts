import { ORPCError } from '@orpc/client'
import { type QueryClient, queryOptions } from '@tanstack/vue-query'
import type { ScheduledMessage } from '#contract/domain.ts'
import type { ScheduledReading, ScheduledStep } from '#contract/views/scheduled.ts'
import type { Client } from '../../rpc/rpc.ts'

/** The list as far as it is read. */
export interface Sweep {
  items: ReadonlyMap<string, ScheduledMessage>
  /** The last whole reading; null before the first one. */
  reading: ScheduledReading | null
  /** How far the reading under way is. */
  progress: Extract<ScheduledStep, { kind: 'page' }> | null
  /** When entries last came, milliseconds since 1970: what is overdue is counted as of then. */
  asOfMs: number
}

/** Shortest time between two readings, milliseconds, and what each entry adds: at most a twentieth of the tenant's requests. */
const refreshMs = 60_000
const perItemMs = 60

/** Takes in one step. `seen` holds the ids that this reading brought. Throws the error of a failed reading. */
export function takeStep(was: Sweep, step: ScheduledStep, seen: Set<string>, nowMs: number): Sweep {
  switch (step.kind) {
    case 'kept':
    case 'page': {
      const items = new Map(was.items)
      for (const item of step.items) {
        items.set(item.id, item)
        seen.add(item.id)
      }
      if (step.kind === 'page') return { ...was, items, progress: step }
      // Another window may have read that entries are gone: nothing older shows beside its answer.
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

/** Reads the list, showing each page as it comes. What was read before stays when a reading fails. */
export function scheduledQuery(client: Pick<Client, 'scheduled'>, queryKey: readonly unknown[]) {
  let freshForMs = refreshMs / 2
  let stopping = new AbortController()

  async function read(cache: QueryClient, ended: AbortSignal): Promise<Sweep> {
    stopping = new AbortController()
    const wanted = freshForMs
    freshForMs = refreshMs / 2
    const signal = AbortSignal.any([ended, stopping.signal])
    const before = cache.getQueryData<Sweep>(queryKey)
    let sweep: Sweep = { items: new Map(), reading: null, asOfMs: Date.now(), ...before, progress: null }
    let seen = new Set<string>()
    try {
      for await (const step of await client.scheduled.read({ freshForMs: wanted }, { signal })) {
        if (signal.aborted) break
        // What the kept answer brought does not count for the pages after it.
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
    /** Makes the next reading ask the service, however fresh the core's answer is. */
    askService: () => (freshForMs = 0),
    /** Ends the reading under way; what it brought stays. */
    stop: () => stopping.abort(),
  }
}
