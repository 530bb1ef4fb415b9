import type { ErrorView } from '#contract/define.ts'
import type { Task } from '#contract/platform/tasks.ts'
import { computed, shallowRef, watch } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

/**
 * A sync of the DNC list that the page waits for, so that selections and typed text stay. `taskOf` returns a task while it is listed.
 * `onEnd` runs once the sync has ended, with its problem if it failed.
 */
export function useDncSync(
  client: Client,
  taskOf: (id: string) => Task | null,
  onEnd: (problem: ErrorView | null) => void,
) {
  const taskId = shallowRef<string | null>(null)
  watch(
    () => (taskId.value === null ? null : taskOf(taskId.value)),
    (task, before) => {
      // The task may not be listed yet; once it left the list, it has ended.
      if (taskId.value === null || (task ? task.endedAt === null : before?.id !== taskId.value)) return
      taskId.value = null
      onEnd(task?.problem ?? null)
    },
  )
  return {
    syncing: computed(() => taskId.value !== null),
    async sync(): Promise<void> {
      const answer = await attempt(client.dnc.sync())
      if (answer.ok) taskId.value = answer.value.taskId
      else onEnd(answer.error)
    },
  }
}
