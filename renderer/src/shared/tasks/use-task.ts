import { until } from '@vueuse/core'
import { computed, getCurrentScope, watch } from 'vue'
import type { Task } from '#contract/platform/tasks.ts'
import { useTasksStore } from './tasks.store.ts'

/** The task that fits, until it ends; then `onEnd` runs. */
export function useOpenTask(fits: (task: Task) => boolean, onEnd: () => void) {
  const tasks = useTasksStore()
  const open = computed(() => tasks.open.find(fits) ?? null)
  watch(open, (now, before) => {
    if (now === null && before !== null) onEnd()
  })
  return open
}

/** Waits, during this visit, until a task ended or was interrupted; null if it left the list before. */
export function useTaskEnd(): (id: string) => Promise<Task | null> {
  const tasks = useTasksStore()
  const visit = getCurrentScope()!
  return (id) =>
    visit.run(() => {
      let isListed = false
      return until(() => tasks.byId(id)).toMatch((task) => {
        // It may not be in the list yet.
        isListed ||= task !== null
        return isListed && (task?.state === 'interrupted' || task?.endedAt !== null)
      })
    })!
}
