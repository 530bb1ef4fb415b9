import { type Phrase, saidOf, type Said, storedText } from '../../../contract/phrases.ts'
import { randomUUID } from 'node:crypto'
import type { Task, TaskKind, TaskState } from '../../../contract/platform/tasks.ts'
import { AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { beats, changes, createPulse } from '../../../lib/pulse.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { toAppError, viewOfStored } from '../rpc/errors.ts'
import { endedShownMax, type StoredTask, type TasksRepository } from './tasks.repository.ts'

/** Older samples are dropped, milliseconds. */
const spanMs = 10_000
/** A shorter time gives no rate. */
const shortestMs = 500

type ProgressRate = ReturnType<typeof createProgressRate>

/** Rate of a rising count over the last seconds. */
function createProgressRate() {
  let samples: { done: number; atMs: number }[] = []
  return {
    /** Adds a sample; monotonic milliseconds. */
    note(done: number, atMs: number): void {
      const last = samples.at(-1)
      if (last && atMs - last.atMs < 100) last.done = done
      else samples.push({ done, atMs })
      if (samples.length > 2 && samples[1]!.atMs < atMs - spanMs) samples = samples.slice(1)
    },
    /** Null when unknown. */
    perSecond(atMs: number): number | null {
      const [first] = samples
      const last = samples.at(-1)
      if (!first || !last || atMs - first.atMs < shortestMs) return null
      return ((last.done - first.done) * 1_000) / (atMs - first.atMs)
    },
  }
}

export interface TaskContext<Payload> {
  id: string
  payload: Payload
  /** Reports progress; absent members stay. Cheap: thousands of times a second is fine. */
  report(progress: { done?: number; total?: number | null; counts?: Record<string, number> }): void
  /** Aborted by a cancel or the exit. */
  signal: AbortSignal
  /** Reports pause and resume to work elsewhere. Returns its removal. */
  onPause(callback: (paused: boolean) => void): () => void
  /** Waits while paused; rejects when cancelled or stopped. */
  pausePoint(): Promise<void>
}

export interface TaskRunner<Payload> {
  unit: Task['progress']['unit']
  canPause: boolean
  /** True when `run` with the same payload continues where it stopped. */
  resumable: boolean
  /** Any error fails the task, except the signal's reason. */
  run(context: TaskContext<Payload>): Promise<void>
}

const gaps = { minGapMs: 100, maxGapMs: 1_000 }
/** Shortest time between stores of the progress. */
const storeEveryMs = 1_000

const over: ReadonlySet<TaskState> = new Set(['done', 'failed', 'cancelled'])

/** Whether a task waits, runs or is paused. */
export const isUnderWay = ({ state }: Task): boolean =>
  state === 'waiting' || state === 'running' || state === 'paused'

/** Abort reason at exit, and of `interrupt`: resumable work continues later. */
export class TaskStopped extends Error {}

interface Live {
  stored: StoredTask
  rate: ProgressRate
  storedAtMs: number
  run: {
    controller: AbortController
    finished: Promise<void>
    wake: () => void
    paused: Set<(paused: boolean) => void>
  } | null
}

interface ById {
  id: string
}

export type TasksService = ReturnType<typeof createTasksService>

/** Long-running work of one connection: runs it, stores its progress, and lets the operator pause, resume and cancel it. */
export function createTasksService(parts: { repository: TasksRepository; clock: Clock; log: Log }) {
  const { repository, clock, log } = parts
  const pulse = createPulse()
  const runners = new Map<TaskKind, TaskRunner<unknown>>()
  const live = new Map<string, Live>()
  /** Tasks whose last change is not stored. */
  const unsaved = new Set<Live>()
  const endCallbacks = new Set<(task: Task) => void>()
  let stopping = false

  const interrupted = new Set(repository.interruptRunning())
  for (const stored of repository.shown().reverse()) live.set(stored.id, toLive(stored))

  function toLive(stored: StoredTask): Live {
    return { stored, rate: createProgressRate(), storedAtMs: -Infinity, run: null }
  }

  /** Work continues when its state can't be stored; the next change tries again. */
  function save(task: Live): void {
    task.storedAtMs = clock.monotonic()
    unsaved.add(task)
    try {
      for (const one of [...unsaved]) {
        repository.put(one.stored)
        unsaved.delete(one)
      }
    } catch (error) {
      log.warn('Could not store the state of a task yet', { error })
    }
    pulse.fire()
  }

  function find(id: string): Live {
    const found = live.get(id)
    if (!found) throw new AppError('NOT_FOUND', { what: { key: 'what.task' } })
    return found
  }

  function view({ stored, rate }: Live): Task {
    const runner = runners.get(stored.kind)
    const { state, done, total } = stored
    const perSecond = state === 'running' ? rate.perSecond(clock.monotonic()) : null
    return {
      id: stored.id,
      kind: stored.kind,
      subject: saidOf(stored.subject),
      state,
      progress: { done, total, unit: stored.unit },
      ratePerSecond: perSecond,
      etaMs: perSecond && total !== null ? Math.max(0, ((total - done) / perSecond) * 1_000) : null,
      counts: stored.counts,
      refId: stored.refId,
      can: {
        pause: state === 'running' && (runner?.canPause ?? false),
        resume:
          state === 'paused' ||
          ((state === 'interrupted' || state === 'failed') && (runner?.resumable ?? false)),
        cancel: !over.has(state),
      },
      problem: viewOfStored(stored.problem),
      createdAt: isoTime(stored.createdMs),
      startedAt: isoTime(stored.startedMs),
      endedAt: isoTime(stored.endedMs),
    }
  }

  /** Every change of a task's state. */
  function enter(task: Live, state: TaskState, more: Partial<StoredTask> = {}): void {
    task.stored = { ...task.stored, state, ...more }
    const { id, kind, problem } = task.stored
    log.info(`Task ${state}`, { id, kind, ...(problem && { code: problem.code }) })
    save(task)
  }

  function settle(task: Live, state: TaskState, error: AppError | null): void {
    task.run = null
    enter(task, state, {
      problem: error && { code: error.code, data: error.data },
      endedMs: over.has(state) ? clock.now() : null,
    })
    if (!over.has(state)) return
    for (const callback of endCallbacks)
      try {
        callback(view(task))
      } catch (error) {
        log.error('A callback after the end of a task failed', { kind: task.stored.kind, error })
      }
  }

  function launch(task: Live, runner: TaskRunner<unknown>): void {
    const controller = new AbortController()
    const { signal } = controller
    let wake = () => {}
    const paused = new Set<(paused: boolean) => void>()
    task.rate = createProgressRate()
    task.rate.note(task.stored.done, clock.monotonic())
    const context: TaskContext<unknown> = {
      id: task.stored.id,
      payload: task.stored.payload,
      signal,
      report({ done, total, counts }) {
        task.stored = {
          ...task.stored,
          ...(done === undefined ? {} : { done }),
          ...(total === undefined ? {} : { total }),
          ...(counts === undefined ? {} : { counts: { ...task.stored.counts, ...counts } }),
        }
        const nowMs = clock.monotonic()
        if (done !== undefined) task.rate.note(done, nowMs)
        if (nowMs - task.storedAtMs >= storeEveryMs) save(task)
        else pulse.fire()
      },
      onPause(callback) {
        paused.add(callback)
        return () => void paused.delete(callback)
      },
      async pausePoint() {
        while (task.stored.state === 'paused' && !signal.aborted)
          await new Promise<void>((resolve) => (wake = resolve))
        signal.throwIfAborted()
      },
    }
    signal.addEventListener('abort', () => wake())
    const run = async () => runner.run(context)
    task.run = { controller, finished: Promise.resolve(), wake: () => wake(), paused }
    enter(task, 'running', {
      problem: null,
      startedMs: task.stored.startedMs ?? clock.now(),
      endedMs: null,
    })
    task.run.finished = run().then(
      () => settle(task, 'done', null),
      (error: unknown) => {
        if (signal.aborted && signal.reason instanceof TaskStopped) settle(task, 'interrupted', null)
        else if (signal.aborted) settle(task, 'cancelled', null)
        else settle(task, 'failed', toAppError(error, log))
      },
    )
  }

  function list(): Task[] {
    let ended = 0
    return [...live.values()]
      .reverse()
      .filter(({ stored: { endedMs } }) => endedMs === null || ++ended <= endedShownMax)
      .map(view)
  }

  const notPossible = (task: Live) =>
    new AppError('TASK_NOT_POSSIBLE', { state: { key: `state.${task.stored.state}` } })

  const service = {
    /** Call before the first `start` and before `resume`. */
    define: <Payload>(kind: TaskKind, runner: TaskRunner<Payload>) =>
      void runners.set(kind, runner as TaskRunner<unknown>),

    /** Throws and starts nothing when the task can't be stored. */
    start<Payload>(
      kind: TaskKind,
      {
        subject,
        payload,
        refId = null,
        total = null,
      }: { subject: Said; payload: Payload; refId?: string | null; total?: number | null },
    ): Task {
      const runner = runners.get(kind)
      if (!runner || stopping) throw new AppError('TASK_NOT_POSSIBLE', { state: { key: 'state.unknown' } })
      const stored: StoredTask = {
        id: randomUUID(),
        kind,
        subject: storedText(subject),
        state: 'waiting',
        done: 0,
        total,
        unit: runner.unit,
        counts: {},
        refId,
        payload,
        problem: null,
        createdMs: clock.now(),
        startedMs: null,
        endedMs: null,
      }
      repository.put(stored)
      const task = toLive(stored)
      live.set(stored.id, task)
      launch(task, runner)
      return view(task)
    },

    get: ({ id }: ById) => view(find(id)),
    /** Undefined for no id, and for a task that was dismissed. */
    find(id: string | null): Task | undefined {
      const task = id === null ? undefined : live.get(id)
      return task && view(task)
    },
    underWay: (kind: TaskKind, refId: string | null = null) =>
      list().find((one) => one.kind === kind && one.refId === refId && isUnderWay(one)),
    /** Newest first: all that have not ended, and the newest others. */
    list,
    /** Tasks interrupted by the last exit. */
    interruptedAtStart: () =>
      list().filter(({ id, state }) => state === 'interrupted' && interrupted.has(id)),

    /** Starts the only task of its kind, or resumes it when it is paused. Returns its id. */
    startOnly(kind: TaskKind, subject: Phrase): string {
      const known = service.underWay(kind)
      if (!known) return service.start(kind, { subject, payload: {} }).id
      return known.state === 'paused' ? service.resume(known).id : known.id
    },

    pause({ id }: ById): Task {
      const task = find(id)
      if (!view(task).can.pause) throw notPossible(task)
      enter(task, 'paused')
      for (const callback of task.run?.paused ?? []) callback(true)
      return view(task)
    },

    resume({ id }: ById): Task {
      const task = find(id)
      const runner = runners.get(task.stored.kind)
      if (!view(task).can.resume || !runner || stopping) throw notPossible(task)
      if (task.run) {
        enter(task, 'running')
        for (const callback of task.run.paused) callback(false)
        task.run.wake()
      } else launch(task, runner)
      return view(task)
    },

    cancel({ id }: ById): Task {
      const task = find(id)
      if (!view(task).can.cancel) throw notPossible(task)
      if (task.run) task.run.controller.abort(new Error('cancelled'))
      else settle(task, 'cancelled', null)
      return view(task)
    },

    /** Stops a run as the exit does, until it is resumed. */
    async interrupt(id: string): Promise<void> {
      const { run } = find(id)
      run?.controller.abort(new TaskStopped())
      await run?.finished
    },

    /** Corrects the progress of a stopped task; the stored one may lag behind. */
    correct(id: string, { done, counts }: { done?: number; counts?: Record<string, number> }) {
      const task = find(id)
      if (task.run) return
      const { stored } = task
      task.stored = { ...stored, done: done ?? stored.done, counts: { ...stored.counts, ...counts } }
      save(task)
    },

    dismiss({ id }: { id?: string | undefined }): { dismissed: number } {
      const chosen = id === undefined ? [...live.values()] : [find(id)]
      const gone = chosen.filter(
        ({ stored, run }) => run === null && (over.has(stored.state) || id !== undefined),
      )
      repository.dismiss(gone.map(({ stored }) => stored.id))
      for (const task of gone) {
        live.delete(task.stored.id)
        unsaved.delete(task)
      }
      pulse.fire()
      return { dismissed: gone.length }
    },

    watch: (signal: AbortSignal) =>
      changes(beats(pulse, clock, gaps, signal), clock, () => ({
        tasks: list(),
        asOf: isoTime(clock.now()),
      })),

    onEnd(callback: (task: Task) => void): () => void {
      endCallbacks.add(callback)
      return () => void endCallbacks.delete(callback)
    },

    ended: async (id: string) => void (await find(id).run?.finished),

    /** Stops running work; resumable tasks become interrupted. */
    async stop(): Promise<void> {
      stopping = true
      const running = [...live.values()].flatMap(({ run }) => run ?? [])
      for (const { controller } of running) controller.abort(new TaskStopped())
      await Promise.all(running.map(({ finished }) => finished))
    },
  }
  return service
}
