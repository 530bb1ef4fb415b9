import type { ErrorView } from '#contract/define.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { formatCounted } from '../format/numbers.ts'

/** A deletion of contacts that can still be taken back. */
export interface UndoableDeletion {
  batchId: string
  count: number
  untilMs: number
}

/**
 * The last deletion of contacts while it can be taken back, and what came of taking it back. Held by the window, so that leaving the
 * page does not shorten the time that was promised. The shell forgets it with its connection.
 */
export const useDeletionStore = defineStore('deletion', () => {
  const { client } = useRpc()
  const undoable = shallowRef<UndoableDeletion | null>(null)
  const refused = shallowRef<ErrorView | null>(null)
  const told = shallowRef('')
  /** Deletions taken back so far in this window: lists read their rows again when it rises. */
  const undone = shallowRef(0)
  let stopTimer = () => {}

  /** Forgets a deletion, or that of a batch only. */
  function forget(batchId?: string): void {
    if (batchId !== undefined && batchId !== undoable.value?.batchId) return
    stopTimer()
    undoable.value = null
  }

  /** Offers the undo for as long as it can be done. */
  function offer(next: UndoableDeletion): void {
    stopTimer()
    undoable.value = next
    told.value = ''
    const timer = setTimeout(() => (undoable.value = null), Math.max(0, next.untilMs - Date.now()))
    stopTimer = () => clearTimeout(timer)
  }

  async function undo(): Promise<void> {
    const offered = undoable.value
    if (offered === null) return
    forget()
    refused.value = null
    const answer = await attempt(client.outbox.undo({ batchId: offered.batchId }))
    if (answer.ok) told.value = `${formatCounted(answer.value.undone, 'contact')} brought back.`
    else {
      refused.value = answer.error
      if (answer.error.retryable && offered.untilMs > Date.now()) offer(offered)
    }
    undone.value++
  }

  function forgetAll(): void {
    forget()
    refused.value = null
    told.value = ''
  }

  return { undoable, refused, told, undone, offer, undo, forget, forgetAll }
})
