import { expect, test } from 'vitest'
import type { Task } from '#contract/platform/tasks.ts'
import { useTasksStore } from '../../../../../renderer/src/shared/tasks/tasks.store.ts'
import { useWrittenFile } from '../../../../../renderer/src/shared/tasks/use-written-file.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { aTask } from '../../../../helpers/scripted/tasks.ts'

const problem = { code: 'DISK_FULL', acted: 'no' as const, data: {} }

/** A button whose task was started and is listed. */
async function started() {
  const app = createRendererApp({
    files: { read: () => ({ base64: '', endOfFile: true, name: 'a.csv', sizeBytes: 0 }) },
  })
  const store = app.run(useTasksStore)
  const show = async (...tasks: Task[]) => {
    store.state = { kind: 'ready', tasks, asOf: '' }
    await new Promise((resolve) => setImmediate(resolve))
  }
  const file = app.run(() => useWrittenFile<'all' | 'some'>())
  void file.write('all', Promise.resolve({ taskId: 't' }))
  await show(aTask({ id: 't', kind: 'ott-results', state: 'running', refId: 'f' }))
  expect(file.writing.value).toBe('all')
  return { file, show, calls: app.calls }
}

test('saves the file of a task that is done', async () => {
  const { file, show, calls } = await started()
  await show(aTask({ id: 't', kind: 'ott-results', state: 'done', refId: 'f' }))
  expect(file.writing.value).toBeNull()
  expect(calls).toMatchObject([{ name: 'files.read', input: { fileId: 'f' } }])
})

test.each([
  ['failed', [aTask({ id: 't', kind: 'ott-results', state: 'failed', refId: 'f', problem })], problem],
  ['was cancelled', [aTask({ id: 't', kind: 'ott-results', state: 'cancelled', refId: 'f' })], null],
  ['was interrupted', [aTask({ id: 't', kind: 'ott-results', state: 'interrupted', refId: 'f' })], null],
  ['was removed', [], null],
])('can be used again when its task %s, and says why', async (_, tasks, error) => {
  const { file, show, calls } = await started()
  await show(...tasks)
  expect(file.writing.value).toBeNull()
  expect(file.error.value).toEqual(error)
  expect(calls).toEqual([])
  void file.write('some', Promise.resolve({ taskId: 't-2' }))
  expect(file.writing.value).toBe('some')
  expect(file.error.value).toBeNull()
})

test('can be used again when the task does not start', async () => {
  const { file } = await started()
  await file.write('some', Promise.reject(new Error('no')))
  expect(file.writing.value).toBeNull()
  expect(file.error.value).not.toBeNull()
})
