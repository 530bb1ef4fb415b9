import type { ErrorView } from '#contract/define.ts'
import type { UndoableDeletion } from '#contract/people/outbox.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'

/** Deletions of contacts that can be undone, as the core reports them to every window. The shell starts it per connection. */
export const useDeletionStore = defineStore('deletion', () => {
  const rpc = useRpc()
  const refused = shallowRef<ErrorView | null>(null)
  const deletions = shallowRef<readonly UndoableDeletion[]>([])
  /** The deletion that this window is undoing. */
  const busyId = shallowRef<string | null>(null)
  /** Counts undone deletions of this window: lists refresh when it rises. */
  const undone = shallowRef(0)

  function start(): () => void {
    const stop = rpc.subscribe((client, signal) => client.outbox.watch(undefined, { signal }), {
      onItem: (drain) => (deletions.value = drain.deletions),
    })
    return () => {
      stop()
      deletions.value = []
      refused.value = null
    }
  }

  /** What came back; null when the undo was refused. */
  async function undo({ batchId }: UndoableDeletion) {
    busyId.value = batchId
    refused.value = null
    const answer = await attempt(rpc.client.outbox.undo({ batchId }))
    busyId.value = null
    if (!answer.ok) refused.value = answer.error
    undone.value++
    return answer.ok ? answer.value : null
  }

  return { deletions, refused, busyId, undone, start, undo }
})
