import type { ErrorView } from '#contract/define.ts'
import type { UndoableDeletion } from '#contract/people/outbox.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { undoneText } from './deletion-words.ts'

/** How long a complete undo is reported. */
const toldMs = 30_000

/** Deletions of contacts that can be undone, as the core reports them to every window. The shell starts it per connection. */
export const useDeletionStore = defineStore('deletion', () => {
  const rpc = useRpc()
  const told = shallowRef('')
  /** Hides `told` after its time; null for a text that stays until dismissed. */
  let leaving: ReturnType<typeof setTimeout> | null = null
  const refused = shallowRef<ErrorView | null>(null)
  const deletions = shallowRef<readonly UndoableDeletion[]>([])
  /** The one that this window is undoing. */
  const busyId = shallowRef<string | null>(null)
  /** Counts undone deletions of this window: lists refresh when it rises. */
  const undone = shallowRef(0)

  /** Reports an undo: for a while if complete, until dismissed if some contacts were lost. */
  function tell(text: string, passes: boolean): void {
    if (leaving !== null) clearTimeout(leaving)
    leaving = passes ? setTimeout(() => tell('', false), toldMs) : null
    told.value = text
  }

  /** A new deletion replaces the report of the one before, unless that waits to be dismissed. */
  function follow(next: readonly UndoableDeletion[]): void {
    const known = new Set(deletions.value.map(({ batchId }) => batchId))
    if (leaving !== null && next.some(({ batchId }) => !known.has(batchId))) tell('', false)
    deletions.value = next
  }

  /** Follows the open connection until the returned stop is called. */
  function start(): () => void {
    const stop = rpc.subscribe((client, signal) => client.outbox.watch(undefined, { signal }), {
      onItem: (drain) => follow(drain.deletions),
    })
    return () => {
      stop()
      deletions.value = []
      refused.value = null
      tell('', false)
    }
  }

  async function undo({ batchId }: UndoableDeletion): Promise<void> {
    busyId.value = batchId
    refused.value = null
    tell('', false)
    const answer = await attempt(rpc.client.outbox.undo({ batchId }))
    busyId.value = null
    if (answer.ok) tell(undoneText(answer.value), answer.value.lost === 0)
    else refused.value = answer.error
    undone.value++
  }

  return { deletions, told, refused, busyId, undone, start, undo }
})
