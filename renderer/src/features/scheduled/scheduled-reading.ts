import type { ErrorView } from '#contract/define.ts'
import type { ScheduledMessage } from '#contract/domain.ts'
import type { ScheduledReading, ScheduledStep } from '#contract/scheduled.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

/** The list as far as it was read. */
export interface ScheduledState {
  phase: 'idle' | 'reading' | 'ready' | 'failed'
  items: readonly ScheduledMessage[]
  /** The last whole reading; null until there was one. */
  reading: ScheduledReading | null
  /** How far the reading under way is; null before its first page, and when there is none. */
  progress: { pagesDone: number; pagesTotal: number; total: number; sweep: number } | null
  /** Why the last reading did not come to its end. */
  error: ErrorView | null
  /** When the items last came, milliseconds since 1970: what is over and what is to come is told as of then. */
  asOfMs: number
}

/** Reads the list through the core; what was read before is shown meanwhile, and stays when a reading fails. */
export function createScheduledReading(
  client: Pick<Client, 'scheduled'>,
  now: () => number = Date.now,
): {
  state: Readonly<ShallowRef<ScheduledState>>
  /** Reads it anew, unless the core has read it within `freshForMs`. One reading at a time: a call meanwhile joins it. */
  refresh(freshForMs?: number): Promise<void>
  /** Gives up the reading under way: what was read of it stays. */
  stop(): void
} {
  const state: ShallowRef<ScheduledState> = shallowRef({
    phase: 'idle',
    items: [],
    reading: null,
    progress: null,
    error: null,
    asOfMs: now(),
  })
  const items = new Map<string, ScheduledMessage>()
  /** Ids that the pages of the reading under way brought. */
  const brought = new Set<string>()
  /** Ids of the kept answer that the reading under way began with. */
  const ofKept = new Set<string>()
  let underWay: { done: Promise<void>; stopping: AbortController } | null = null

  const change = (part: Partial<ScheduledState>) => (state.value = { ...state.value, ...part })

  function take(step: ScheduledStep): void {
    switch (step.kind) {
      case 'kept':
        for (const item of step.items) {
          items.set(item.id, item)
          ofKept.add(item.id)
        }
        if (!step.isLast) break
        // Another window may have read meanwhile what is gone: beside its answer nothing older stands.
        for (const id of items.keys()) if (!ofKept.has(id)) items.delete(id)
        change({ items: [...items.values()], reading: step.reading, asOfMs: now() })
        break
      case 'page': {
        for (const item of step.items) {
          items.set(item.id, item)
          brought.add(item.id)
        }
        const { pagesDone, pagesTotal, total, sweep } = step
        change({
          progress: { pagesDone, pagesTotal, total, sweep },
          ...(step.items.length > 0 ? { items: [...items.values()] } : {}),
        })
        break
      }
      case 'done':
        for (const id of step.gone) brought.delete(id)
        for (const id of items.keys()) if (!brought.has(id)) items.delete(id)
        change({
          phase: 'ready',
          items: [...items.values()],
          reading: step.reading,
          progress: null,
          error: null,
          asOfMs: now(),
        })
        break
      case 'fresh':
        change({ phase: 'ready', progress: null, error: null })
        break
      case 'failed':
        change({ phase: 'failed', progress: null, error: step.error, asOfMs: now() })
    }
  }

  async function read(freshForMs: number, signal: AbortSignal): Promise<void> {
    brought.clear()
    ofKept.clear()
    change({ phase: 'reading', progress: null })
    try {
      for await (const step of await client.scheduled.read({ freshForMs }, { signal })) {
        if (signal.aborted) break
        take(step)
      }
    } catch (cause) {
      if (!signal.aborted) change({ error: toErrorView(cause) })
    }
    // Stopped, or broken off without a last word.
    if (state.value.phase === 'reading')
      change({
        phase: state.value.error || !state.value.reading ? 'failed' : 'ready',
        progress: null,
        asOfMs: now(),
      })
  }

  return {
    state,
    refresh(freshForMs = 0) {
      if (underWay) return underWay.done
      const stopping = new AbortController()
      const done = read(freshForMs, stopping.signal).finally(() => (underWay = null))
      underWay = { done, stopping }
      return done
    },
    stop: () => underWay?.stopping.abort(),
  }
}
