import type { ErrorView } from '#contract/define.ts'
import type { Task } from '#contract/platform/tasks.ts'
import { computed, shallowRef, watch } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

/**
 * A sync of the DNC list that the page waits for, so that what is selected or typed stays. `taskOf` gives a task while it is known.
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
      // The list of tasks may not have it yet; one that left the list has ended.
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
