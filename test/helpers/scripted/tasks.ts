import { AppError } from '#contract/errors.ts'
import type { Task } from '#contract/platform/tasks.ts'
import type { Script } from './script.ts'
import { ago, createBroadcast, hourMs, minuteMs } from './broadcast.ts'

/** A task with these members replaced. */
export function aTask(of: Partial<Task> & Pick<Task, 'id' | 'kind'>): Task {
  const state = of.state ?? 'running'
  return {
    subject: 'contacts.csv',
    state,
    progress: { done: 0, total: null, unit: 'rows' },
    ratePerSecond: null,
    etaMs: null,
    counts: {},
    refId: null,
    can: {
      pause: state === 'running',
      resume: state === 'paused' || state === 'interrupted',
      cancel: !['done', 'failed', 'cancelled'].includes(state),
    },
    problem: null,
    createdAt: ago(5 * minuteMs),
    startedAt: ago(5 * minuteMs),
    endedAt: ['done', 'failed', 'cancelled'].includes(state) ? ago(minuteMs) : null,
    ...of,
  }
}

/** A running import, an interrupted sync, a finished export, a failed check. */
export function ordinaryTasks(): Task[] {
  return [
    aTask({
      id: 't-import',
      kind: 'import',
      subject: 'autumn-contacts.csv',
      progress: { done: 412_000, total: 1_000_000, unit: 'rows' },
      ratePerSecond: 86_400,
      etaMs: 6_800,
      counts: { new: 398_210, update: 8_112, invalid: 5_678 },
      refId: 'i-1',
    }),
    aTask({
      id: 't-sync',
      kind: 'dnc-sync',
      subject: 'Do-not-contact list',
      state: 'interrupted',
      progress: { done: 61, total: 124, unit: 'pages' },
      createdAt: ago(2 * hourMs),
    }),
    aTask({
      id: 't-export',
      kind: 'export',
      subject: '48,213 contacts',
      state: 'done',
      progress: { done: 48_213, total: 48_213, unit: 'contacts' },
      counts: { contacts: 48_213 },
      refId: 'file-export',
      createdAt: ago(3 * hourMs),
    }),
    aTask({
      id: 't-check',
      kind: 'dnc-check',
      subject: 'partner-list.csv',
      state: 'failed',
      progress: { done: 1_200, total: null, unit: 'numbers' },
      problem: {
        code: 'DISK_FULL',
        acted: 'no',
        data: {},
      },
      refId: 'check-2',
      createdAt: ago(26 * hourMs),
    }),
  ]
}

/** The task centre's answers, and a way to change what it streams. */
export function scriptedTasks(first: Task[]) {
  const all = createBroadcast(first)
  const byId = (id: string): Task => {
    const found = all.value().find((task) => task.id === id)
    if (!found) throw new AppError('NOT_FOUND', { what: 'This task' })
    return found
  }
  /** Adds a task, or replaces the one with its ID. */
  function put(task: Task): void {
    const others = all.value().filter(({ id }) => id !== task.id)
    all.set([task, ...others].sort((a, b) => b.createdAt.localeCompare(a.createdAt)))
  }
  /** A task that finishes at once. */
  function finish(of: Partial<Task> & Pick<Task, 'kind'>): { taskId: string } {
    const id = `t-${all.value().length + 1}-${of.kind}`
    put(aTask({ id, state: 'done', createdAt: ago(0), startedAt: ago(0), ...of }))
    return { taskId: id }
  }

  const answers: Script['tasks'] = {
    watch: async function* (_input, signal) {
      for await (const tasks of all.watch(signal)) yield { tasks, asOf: ago(0) }
    },
    get: ({ id }) => byId(id),
    pause: ({ id }) => byId(id),
    resume: ({ id }) => byId(id),
    cancel: ({ id }) => byId(id),
    dismiss: () => ({ dismissed: 1 }),
  }
  return { answers, put, finish }
}
export type ScriptedTasks = ReturnType<typeof scriptedTasks>
