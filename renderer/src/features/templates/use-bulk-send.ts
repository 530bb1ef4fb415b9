import { computed, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { useDncSync } from '../../shared/tasks/use-dnc-sync.ts'
import { useWrittenFile } from '../../shared/tasks/use-written-file.ts'
import { nowMs } from '../../shared/time/clock.ts'
import { useToastStore } from '../../shared/ui/toast.store.ts'
import { useQuestion } from '../../shared/ui/use-question.ts'
import { t } from './templates.texts.ts'
import type { ShownSend } from './use-templates.ts'

/** What can be done with the open bulk send, and its question. `changed` reads it again. */
export function useBulkSend(shown: () => ShownSend | null, changed: () => void) {
  const { client } = useRpc()
  const toasts = useToastStore()
  const question = useQuestion()
  /** About how many rejected messages are retried. */
  const retrying = useQuestion<number>()
  const file = useWrittenFile<'all' | 'left-out'>()
  const { sync, syncing } = useDncSync((problem) => {
    question.error = problem
    changed()
  })
  const id = computed(() => shown()?.send.id ?? '')
  const batchId = computed(() => shown()?.send.batchId ?? '')
  const undoLeftMs = computed(() => {
    const until = shown()?.send.undoableUntil ?? null
    return until === null ? 0 : Date.parse(until) - nowMs.value
  })

  watch(id, () => {
    question.close()
    retrying.close()
    question.error = null
    file.error.value = null
  })

  async function act<T>(
    call: Promise<T>,
    tell?: (value: T) => string,
    of: Pick<typeof question, 'act'> = question,
  ): Promise<boolean> {
    const answer = await of.act(call)
    if (answer.ok && tell) toasts.show(tell(answer.value))
    changed()
    return answer.ok
  }

  return {
    question,
    retrying,
    file,
    sync,
    syncing,
    undoLeftMs,
    canUndo: computed(
      () => batchId.value !== '' && (shown()?.send.state === 'queueing-stopped' || undoLeftMs.value > 0),
    ),
    queue: (order: { uncheckedKnowingly: boolean; confirmName: string | undefined }) => {
      const { counts = null, digest = null } = shown()?.send ?? {}
      const confirmed = { willSend: counts?.willSend ?? 0, digest: digest ?? '' }
      return act(client.templates.queue({ id: id.value, ...confirmed, ...order }))
    },
    recount: (change: { skipReceived?: boolean; sendUnplaced?: boolean }) =>
      act(client.templates.recount({ id: id.value, ...change })),
    undo: () =>
      act(client.outbox.undo({ batchId: batchId.value }), ({ undone, left }) =>
        left === 0 ? t('bulk.undone', { n: undone }) : t('bulk.undonePart', { n: undone, left }),
      ),
    retry: () =>
      act(
        client.outbox.retryRejected({ selection: { filter: { batchId: batchId.value } } }),
        ({ queued, blocked }) =>
          [
            t('bulk.requeued', { n: queued }),
            ...(blocked > 0 ? [t('reports.skipped', { n: blocked })] : []),
          ].join(' '),
        retrying,
      ),
    discard: () => act(client.templates.discard({ id: id.value })),
    write: (what: 'all' | 'left-out') =>
      file.write(what, client.templates.exportResults({ id: id.value, what })),
  }
}

export type BulkSendActions = ReturnType<typeof useBulkSend>
