import type { Hole } from '#contract/events.ts'
import { type ShallowRef, shallowRef } from 'vue'
import type { Client } from '../../rpc/rpc.ts'

/** The whole record is asked for, so that no older row stands beside a hole that is not drawn. Days; the contract's most. */
const recordDays = 400

/**
 * Holes in the record, newest first; null until they were read. A failed read keeps the last ones, and `unread` says that
 * they may be out of date. Poll `refresh`.
 */
export function createHoles(client: { events: Pick<Client['events'], 'holes'> }): {
  holes: Readonly<ShallowRef<readonly Hole[] | null>>
  unread: Readonly<ShallowRef<boolean>>
  refresh(signal: AbortSignal): Promise<void>
} {
  const holes = shallowRef<readonly Hole[] | null>(null)
  const unread = shallowRef(false)

  async function refresh(signal: AbortSignal): Promise<void> {
    try {
      const answer = await client.events.holes({ days: recordDays }, { signal })
      if (signal.aborted) return
      holes.value = answer.holes
      unread.value = false
    } catch {
      unread.value = !signal.aborted
    }
  }

  return { holes, unread, refresh }
}
