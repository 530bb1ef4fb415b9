import Sqlite from 'better-sqlite3'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Task } from '#contract/platform/tasks.ts'
import { AppError } from '#contract/errors.ts'
import { createTasksRepository } from '#electron/core/platform/tasks/tasks.repository.ts'
import {
  createTasksService,
  type TaskContext,
  type TaskRunner,
} from '#electron/core/platform/tasks/tasks.service.ts'
import { openDatabase } from '#electron/database/open.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { changeFile } from '../../../../helpers/held-write.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { startInSandbox } from '../../../../helpers/test-core.ts'
import { taskWhere } from '../../../../helpers/wait-for.ts'

/** Work of as many steps as its payload says; each waits for `step`. */
interface Steps {
  count: number
}

type UnderTest = ReturnType<typeof start>

function start(file = join(tempFolder(), 'state.db'), runner: Partial<TaskRunner<Steps>> = {}) {
  const clock = createFakeClock()
  const opened = openDatabase({ file, schema: 'state', log: quietLog })
  const tasks = createTasksService({ repository: createTasksRepository(opened.db), clock, log: quietLog })
  /** Payloads of started runs. */
  const begun: unknown[] = []
  const waiting: (() => void)[] = []
  const settle = () => clock.advance(0)
  const run = async ({ payload, report, pausePoint, signal }: TaskContext<Steps>) => {
    begun.push(payload)
    for (let done = 1; done <= payload.count; done++) {
      await pausePoint()
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        signal.addEventListener('abort', () => resolve())
        if (signal.aborted) resolve()
      })
      signal.throwIfAborted()
      report({ done, counts: { changed: done * 2 } })
    }
  }
  tasks.define<Steps>('bulk-tag', { unit: 'contacts', canPause: true, resumable: true, run, ...runner })
  tasks.define<Steps>('export', { unit: 'rows', canPause: false, resumable: false, run })
  let isOpen = true
  const stop = async () => {
    if (isOpen) await tasks.stop()
    if (isOpen) opened.close()
    isOpen = false
  }
  onTestFinished(stop)
  /** Runs the next step of every task. */
  const step = async () => {
    await settle()
    for (const go of waiting.splice(0)) go()
    await settle()
    await settle()
  }
  return { tasks, clock, file, runner, begun, step, stop }
}

/** Ends the service like the console does, or leaves it like a crash, and starts another on the same file. */
async function again({ stop, file, runner }: UnderTest, how: 'stopped' | 'crashed' = 'stopped') {
  if (how === 'stopped') await stop()
  return start(file, runner)
}

const begin = ({ tasks }: UnderTest, count = 3, kind: 'bulk-tag' | 'export' = 'bulk-tag') =>
  tasks.start<Steps>(kind, { subject: '3 contacts', payload: { count }, refId: 'batch-1', total: count })

const fails = (why: string): never => {
  throw new Error(why)
}

const stored = (file: string, id: string) => {
  const reader = new Sqlite(file, { readonly: true })
  const row = reader.prepare('SELECT state, done FROM tasks WHERE id = ?').get(id)
  reader.close()
  return row as { state: string; done: number }
}

describe('a task', () => {
  test('reports its progress and its result', async () => {
    const under = start()
    const { id } = begin(under)
    expect(under.tasks.get({ id })).toMatchObject({
      state: 'running',
      progress: { done: 0, total: 3, unit: 'contacts' },
      refId: 'batch-1',
      can: { pause: true, resume: false, cancel: true },
    })
    await under.clock.advance(1_000)
    await under.step()
    expect(under.tasks.get({ id })).toMatchObject({
      progress: { done: 1 },
      counts: { changed: 2 },
      ratePerSecond: 1,
      etaMs: 2_000,
    })
    await under.step()
    await under.step()
    expect(under.tasks.get({ id })).toMatchObject({
      state: 'done',
      counts: { changed: 6 },
      problem: null,
      can: { pause: false, resume: false, cancel: false },
    })
    expect(under.tasks.get({ id }).endedAt).not.toBeNull()
    expect(stored(under.file, id)).toEqual({ state: 'done', done: 3 })
  })

  test('that fails keeps the reason across a restart and can be resumed', async () => {
    let isBroken = true
    const run = ({ report }: TaskContext<Steps>) => {
      report({ done: 2 })
      return isBroken ? Promise.reject(new AppError('DNC_MOVING')) : Promise.resolve()
    }
    const first = start(undefined, { run })
    const { id } = begin(first)
    await first.tasks.ended(id)
    const second = await again(first)
    expect(second.tasks.get({ id })).toMatchObject({
      state: 'failed',
      progress: { done: 2 },
      problem: { code: 'DNC_MOVING' },
      can: { resume: true },
    })
    isBroken = false
    second.tasks.resume({ id })
    await second.tasks.ended(id)
    expect(second.tasks.get({ id })).toMatchObject({ state: 'done', problem: null })
  })

  test('that throws at once fails alone', async () => {
    const under = start(undefined, { run: () => fails('at once') })
    const { id } = begin(under)
    await under.tasks.ended(id)
    expect(under.tasks.get({ id })).toMatchObject({ state: 'failed', problem: { code: 'INTERNAL' } })
  })

  test('tells everyone of its end, also if a callback throws', async () => {
    const under = start()
    const ended: string[] = []
    under.tasks.onEnd(() => fails('refused for the test'))
    under.tasks.onEnd(({ state }) => void ended.push(state))
    const done = begin(under, 1)
    await under.step()
    await under.tasks.ended(done.id)
    const paused = begin(under, 1)
    under.tasks.pause(paused)
    const second = await again(under)
    second.tasks.onEnd(() => fails('refused for the test'))
    second.tasks.onEnd(({ state }) => void ended.push(state))
    expect(second.tasks.cancel(paused)).toMatchObject({ state: 'cancelled' })
    expect(ended).toEqual(['done', 'cancelled'])
  })

  test('is stored at once, and its progress at most once a second', async () => {
    const given = Promise.withResolvers<TaskContext<Steps>>()
    const run = async (context: TaskContext<Steps>) => {
      given.resolve(context)
      await once(context.signal, 'abort')
    }
    const under = start(undefined, { run })
    const { id } = begin(under, 10_000)
    const { report } = await given.promise
    expect(stored(under.file, id)).toEqual({ state: 'running', done: 0 })
    const writes: number[] = []
    for (let done = 1; done <= 1_000; done++) {
      await under.clock.advance(5)
      report({ done })
      writes.push(stored(under.file, id).done)
    }
    expect(under.tasks.get({ id }).progress.done).toBe(1_000)
    expect(new Set(writes).size).toBeGreaterThanOrEqual(5)
    expect(new Set(writes).size).toBeLessThanOrEqual(6)
  })
})

describe('a pause', () => {
  test('takes effect after the current step, and a resume continues from there', async () => {
    const under = start()
    const { id } = begin(under)
    await under.step()
    expect(under.tasks.pause({ id })).toMatchObject({ state: 'paused', can: { pause: false, resume: true } })
    await under.step()
    await under.step()
    expect(under.tasks.get({ id })).toMatchObject({ state: 'paused', progress: { done: 2 } })
    expect(under.tasks.resume({ id }).state).toBe('running')
    await under.clock.advance(0)
    await under.step()
    expect(under.tasks.get({ id })).toMatchObject({ state: 'done', progress: { done: 3 } })
    expect(under.begun).toHaveLength(1)
  })

  test('is refused where the work cannot pause or is not running', async () => {
    const under = start()
    const { id } = begin(under, 1, 'export')
    const refused = (key: string) =>
      expect.objectContaining({
        code: 'TASK_NOT_POSSIBLE',
        data: expect.objectContaining({ state: { key } }),
      })
    expect(() => under.tasks.pause({ id })).toThrow(refused('state.running'))
    await under.step()
    expect(() => under.tasks.pause({ id })).toThrow(refused('state.done'))
  })
})

test.each(['running', 'paused'] as const)(
  'a cancel ends a %s task and keeps its finished steps counted',
  async (state) => {
    const under = start()
    const { id } = begin(under)
    await under.step()
    if (state === 'paused') under.tasks.pause({ id })
    under.tasks.cancel({ id })
    await under.tasks.ended(id)
    expect(under.tasks.get({ id })).toMatchObject({
      state: 'cancelled',
      progress: { done: 1 },
      problem: null,
      can: { pause: false, resume: false, cancel: false },
    })
    expect(() => under.tasks.resume({ id })).toThrow('the task is cancelled')
  },
)

describe('a restart', () => {
  test.each(['stopped', 'crashed'] as const)(
    'of a console that %s interrupts work, which resumes with its payload',
    async (how) => {
      const first = start()
      const { id } = begin(first)
      const other = begin(first, 2, 'export')
      const paused = begin(first)
      first.tasks.pause(paused)
      await first.clock.advance(1_000)
      await first.step()
      const second = await again(first, how)
      expect(second.tasks.get({ id })).toMatchObject({
        state: 'interrupted',
        progress: { done: 1, total: 3 },
        counts: { changed: 2 },
        refId: 'batch-1',
        can: { resume: true, cancel: true },
      })
      expect(second.tasks.get(other)).toMatchObject({ state: 'interrupted', can: { resume: false } })
      expect(second.tasks.get(paused)).toMatchObject({ state: 'interrupted', can: { resume: true } })
      await second.step()
      expect(second.begun).toEqual([])
      second.tasks.resume({ id })
      expect(second.begun).toEqual([{ count: 3 }])
      for (let step = 0; step < 3; step++) await second.step()
      expect(second.tasks.get({ id }).state).toBe('done')
      second.tasks.cancel(other)
      expect(second.tasks.get(other).state).toBe('cancelled')
    },
  )

  test('keeps an older unfinished task in reach of 200 newer ones', async () => {
    const first = start()
    const { id } = begin(first)
    const isReachable = ({ tasks }: UnderTest) => {
      expect(tasks.list()).toHaveLength(201)
      expect(tasks.list().at(-1)).toMatchObject({ id, can: { resume: true } })
    }
    first.tasks.pause({ id })
    for (let n = 0; n <= 200; n++) first.tasks.cancel(begin(first, 1, 'export'))
    await first.step()
    isReachable(first)
    expect(first.tasks.underWay('bulk-tag', 'batch-1')?.id).toBe(id)
    const second = await again(first)
    isReachable(second)
    expect(second.tasks.resume({ id }).state).toBe('running')
  })

  test('fails only the task with an unreadable payload or an unknown kind', async () => {
    const first = start()
    const good = begin(first)
    const bad = begin(first)
    await first.tasks.stop()
    const broken = `payload_json = '{"count":', counts_json = 'x'`
    changeFile(first.file, `UPDATE tasks SET ${broken} WHERE id = '${bad.id}'`)
    const second = start(first.file)
    expect(second.tasks.list().map(({ id }) => id)).toEqual([bad.id, good.id])
    second.tasks.resume(bad)
    await second.tasks.ended(bad.id)
    expect(second.tasks.get(bad)).toMatchObject({ state: 'failed', problem: { code: 'INTERNAL' } })
    expect(second.tasks.resume(good).state).toBe('running')
  })

  test('keeps dismissed tasks away; only ended ones can be dismissed', async () => {
    const first = start()
    const ended = begin(first, 1)
    await first.step()
    const running = begin(first)
    expect(first.tasks.dismiss(running)).toEqual({ dismissed: 0 })
    expect(first.tasks.dismiss({})).toEqual({ dismissed: 1 })
    const second = await again(first)
    expect(second.tasks.list().map(({ id }) => id)).toEqual([running.id])
    expect(() => second.tasks.get(ended)).toThrow('no longer exists')
  })
})

describe('a database that cannot be written', () => {
  const refuse = (file: string, on: string) => {
    const refusal = `BEGIN SELECT RAISE(ABORT, 'refused for the test'); END`
    changeFile(file, `CREATE TRIGGER refuse BEFORE ${on} ON tasks ${refusal}`)
    return () => changeFile(file, 'DROP TRIGGER refuse')
  }

  test('refuses new tasks', async () => {
    const under = start()
    const allow = refuse(under.file, 'INSERT')
    expect(() => begin(under)).toThrow('refused for the test')
    await under.step()
    expect(under.begun).toEqual([])
    expect(under.tasks.list()).toEqual([])
    allow()
    expect(begin(under).state).toBe('running')
  })

  test('keeps running work, whose end is stored with the next change', async () => {
    const under = start()
    const { id } = begin(under, 1)
    const allow = refuse(under.file, 'UPDATE')
    await under.clock.advance(2_000)
    await under.step()
    expect(under.tasks.get({ id })).toMatchObject({ state: 'done', problem: null })
    expect(stored(under.file, id).state).toBe('running')
    allow()
    begin(under)
    expect(stored(under.file, id)).toEqual({ state: 'done', done: 1 })
  })
})

test('the contract pauses, resumes and cancels a real sync', async () => {
  const { rpc, sandbox } = await startInSandbox({ sandbox: { dncCount: 900 } })
  sandbox.setFault('slow', { delayMs: 60, path: '/dnc' })
  const { taskId } = await rpc.dnc.sync()
  const until = (is: (task: Task) => boolean) => taskWhere(rpc, taskId, is)
  await until(({ progress }) => progress.done >= 2)
  expect((await rpc.tasks.pause({ id: taskId })).state).toBe('paused')
  await expect(rpc.tasks.pause({ id: taskId })).rejects.toMatchObject({ code: 'TASK_NOT_POSSIBLE' })
  // The current page ends; no request follows it.
  const pages = () => sandbox.requestLog().filter(({ path }) => path.endsWith('/dnc')).length
  let before = -1
  const isStill = () => before === (before = pages())
  await expect.poll(isStill, { interval: 200 }).toBe(true)
  await rpc.tasks.resume({ id: taskId })
  await until(({ progress, state }) => state === 'running' && progress.done >= 4)
  await rpc.tasks.cancel({ id: taskId })
  expect(await until(({ state }) => state !== 'running')).toMatchObject({ state: 'cancelled', problem: null })
  expect(await rpc.tasks.dismiss({ id: taskId })).toEqual({ dismissed: 1 })
})
