import type { ErrorView } from '#contract/define.ts'
import type { Task } from '#contract/platform/tasks.ts'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'

/** `ready` while the tasks arrive; `lost` keeps the last ones, which may be old, with the reason. */
type TasksState =
  | { kind: 'idle' }
  | { kind: 'loading' }
  | { kind: 'ready'; tasks: readonly Task[]; asOf: string }
  | { kind: 'lost'; tasks: readonly Task[]; asOf: string | null; error: ErrorView }

/** The open connection’s tasks, newest first, as a stream. The shell starts it per connection. */
export const useTasksStore = defineStore('tasks', () => {
  const rpc = useRpc()
  const state = shallowRef<TasksState>({ kind: 'idle' })
  const tasks = computed<readonly Task[]>(() => ('tasks' in state.value ? state.value.tasks : []))
  const asOf = computed(() => ('asOf' in state.value ? state.value.asOf : null))

  function start(): () => void {
    state.value = { kind: 'loading' }
    const stop = rpc.subscribe((client, signal) => client.tasks.watch(undefined, { signal }), {
      onItem: (next) => (state.value = { kind: 'ready', ...next }),
      onLost: (error) => (state.value = { kind: 'lost', tasks: tasks.value, asOf: asOf.value, error }),
      // A finished export is saved even while the window is hidden.
      whileHidden: true,
    })
    return () => {
      stop()
      state.value = { kind: 'idle' }
    }
  }

  /** The task, while it is listed. */
  const byId = (id: string | null | undefined): Task | null =>
    tasks.value.find((task) => task.id === id) ?? null

  return {
    state,
    tasks,
    asOf,
    /** Tasks that have not ended. */
    open: computed(() => tasks.value.filter((task) => task.endedAt === null)),
    running: computed(() => tasks.value.filter(({ state }) => state === 'running' || state === 'waiting')),
    start,
    byId,
  }
})
