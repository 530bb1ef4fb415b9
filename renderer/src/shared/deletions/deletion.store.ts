import type { ErrorView } from '#contract/define.ts'
import type { UndoableDeletion } from '#contract/outbox.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { undoneText } from './deletion-words.ts'

/**
 * Deletions of contacts while they can be taken back, as the core tells every window alike, and what came of taking one back. The shell
 * starts it per connection.
 */
export const useDeletionStore = defineStore('deletion', () => {
  const rpc = useRpc()
  const told = shallowRef('')
  const refused = shallowRef<ErrorView | null>(null)
  const deletions = shallowRef<readonly UndoableDeletion[]>([])
  /** The one that this window is taking back. */
  const busyId = shallowRef<string | null>(null)
  /** Deletions taken back so far in this window: lists read their rows again when it rises. */
  const undone = shallowRef(0)

  /** Follows the open connection's until the returned stop is called. */
  function start(): () => void {
    const stop = rpc.subscribe((client, signal) => client.outbox.watch(undefined, { signal }), {
      onItem: (drain) => (deletions.value = drain.deletions),
    })
    return () => {
      stop()
      deletions.value = []
      refused.value = null
      told.value = ''
    }
  }

  async function undo({ batchId }: UndoableDeletion): Promise<void> {
    busyId.value = batchId
    refused.value = null
    told.value = ''
    const answer = await attempt(rpc.client.outbox.undo({ batchId }))
    busyId.value = null
    if (answer.ok) told.value = undoneText(answer.value)
    else refused.value = answer.error
    undone.value++
  }

  return { deletions, told, refused, busyId, undone, start, undo }
})
