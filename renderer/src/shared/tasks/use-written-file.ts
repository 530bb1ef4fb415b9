import type { ErrorView } from '#contract/define.ts'
import { computed, shallowRef, watch } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useFileTransfer } from '../files/use-file-transfer.ts'
import { useTasksStore } from './tasks.store.ts'

/**
 * Buttons that each have a task write a file, which is then saved. `writing` is the button whose file is being written; null again when
 * the task ended, stopped or was removed.
 */
export function useWrittenFile<Which extends string>() {
  const tasks = useTasksStore()
  const transfer = useFileTransfer()
  const running = shallowRef<{ which: Which; taskId: string | null } | null>(null)
  const writing = computed(() => running.value?.which ?? null)
  const error = shallowRef<ErrorView | null>(null)

  watch(
    () => tasks.byId(running.value?.taskId),
    (task, before) => {
      // Removed from the list before its end was seen.
      const isGone = task === null && before?.id === running.value?.taskId
      const goesOn = task !== null && ['waiting', 'running', 'paused'].includes(task.state)
      if (running.value === null || goesOn || (task === null && !isGone)) return
      running.value = null
      if (task?.state === 'done' && task.refId !== null) void transfer.download(task.refId)
      else error.value = task?.problem ?? null
    },
  )

  async function write(which: Which, call: Promise<{ taskId: string }>): Promise<void> {
    running.value = { which, taskId: null }
    error.value = null
    const answer = await attempt(call)
    running.value = answer.ok ? { which, taskId: answer.value.taskId } : null
    if (!answer.ok) error.value = answer.error
  }

  return { writing, error, write, transfer: transfer.state, cancelTransfer: transfer.reset }
}
