import type { ErrorView } from '#contract/define.ts'
import type { UndoableDeletion } from '#contract/outbox.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { undoneText } from './deletion-words.ts'

/** How long it is told that all of a deletion came back. */
const toldMs = 30_000

/**
 * Deletions of contacts while they can be taken back, as the core tells every window alike, and what came of taking one back. The shell
 * starts it per connection.
 */
export const useDeletionStore = defineStore('deletion', () => {
  const rpc = useRpc()
  const told = shallowRef('')
  /** Takes `told` away after its while; null for what stays until it is put away. */
  let leaving: ReturnType<typeof setTimeout> | null = null
  const refused = shallowRef<ErrorView | null>(null)
  const deletions = shallowRef<readonly UndoableDeletion[]>([])
  /** The one that this window is taking back. */
  const busyId = shallowRef<string | null>(null)
  /** Deletions taken back so far in this window: lists read their rows again when it rises. */
  const undone = shallowRef(0)

  /** Tells what came of an undo: that all is well for a while, that some are lost until it is put away. */
  function tell(text: string, passes: boolean): void {
    if (leaving !== null) clearTimeout(leaving)
    leaving = passes ? setTimeout(() => tell('', false), toldMs) : null
    told.value = text
  }

  /** The next deletion takes the place of what came of the one before it, unless that is to be put away. */
  function follow(next: readonly UndoableDeletion[]): void {
    const known = new Set(deletions.value.map(({ batchId }) => batchId))
    if (leaving !== null && next.some(({ batchId }) => !known.has(batchId))) tell('', false)
    deletions.value = next
  }

  /** Follows the open connection's until the returned stop is called. */
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
