import type { Task } from '#contract/platform/tasks.ts'
import { expect, test } from 'vitest'
import { createContactSelection } from '../../../../../renderer/src/features/contacts/contact-selection.ts'
import { useContactActions } from '../../../../../renderer/src/features/contacts/use-contact-actions.ts'
import { useTasksStore } from '../../../../../renderer/src/shared/tasks/tasks.store.ts'
import { useToastStore } from '../../../../../renderer/src/shared/ui/toast.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { aTask } from '../../../../helpers/scripted/tasks.ts'

/** Contacts being tagged by a task, and a way to set the task's state. */
async function tagging(batch: { batchId: string; count: number; until: string } | null = null) {
  let begun = 0
  const answer = { batchId: null, count: 17_629 }
  const app = createRendererApp({
    contacts: {
      tagBatch: () => ({ batch }),
      tag: () => ({ ...answer, taskId: `t-${++begun}` }),
    },
  })
  const tasks = app.run(useTasksStore)
  const toasts = app.run(useToastStore)
  const selection = createContactSelection(
    () => ({}),
    () => 17_629,
  )
  selection.all()
  const actions = app.run(() => useContactActions(selection, () => {}, { id: () => null, close() {} }))
  await actions.tag({ vip: '' }, [])
  /** The toast after the tasks changed. */
  const become = async (...next: Task[]) => {
    tasks.state = { kind: 'ready', tasks: next, asOf: '' }
    // The tag batch is fetched before the toast.
    await new Promise((resolve) => setTimeout(resolve))
    return toasts.shown?.text ?? null
  }
  const at = (done: number, state: Task['state'] = 'running') =>
    aTask({ id: 't-1', kind: 'bulk-tag', state, progress: { done, total: 17_629, unit: 'contacts' } })
  return { actions, become, at }
}

test('reports every task when two run at once', async () => {
  const { actions, become, at } = await tagging()
  await actions.tag({ new: '' }, [])
  const second = { ...at(5), id: 't-2' }
  expect(await become(second, at(2_000))).toBeNull()
  expect(await become(second, at(2_000, 'cancelled'))).toBe(
    'Tag contacts cancelled: 2,000 of 17,629 contacts.',
  )
  expect(await become({ ...second, ...at(17_629, 'done'), id: 't-2' })).toBe('17,629 contacts tagged.')
})

test('says that contacts are tagged once their task is done', async () => {
  const { become, at } = await tagging()
  expect(await become()).toBeNull()
  expect(await become(at(2_000))).toBeNull()
  expect(await become(at(2_000, 'paused'))).toBeNull()
  expect(await become(at(17_629, 'done'))).toBe('17,629 contacts tagged.')
})

test('reports the number of tagged contacts once, beside the undo', async () => {
  const batch = { batchId: 'b-1', count: 17_629, until: '2026-01-05T09:10:00Z' }
  const { actions, become, at } = await tagging(batch)
  expect(await become(at(17_629, 'done'))).toBeNull()
  expect(actions.tagged.value).toEqual(batch)
})

test('closes the drawer when its contact is deleted, alone or among the selected', async () => {
  const app = createRendererApp({
    contacts: {
      tagBatch: () => ({ batch: null }),
      preview: () => ({ count: 1, upToId: 9 }),
      delete: () => ({}),
    },
  })
  const selection = createContactSelection(
    () => ({}),
    () => 9,
  )
  let closed = 0
  const actions = app.run(() =>
    useContactActions(selection, () => {}, { id: () => 7, close: () => void closed++ }),
  )
  const remove = async (only?: { ids: number[] }) => {
    await actions.ask('delete', only)
    await actions.remove(undefined)
    return closed
  }
  selection.choose((index) => ({ id: index }) as never, 8, false)
  expect(await remove()).toBe(0)
  selection.choose((index) => ({ id: index }) as never, 7, false)
  expect(await remove()).toBe(1)
  expect(await remove({ ids: [7] })).toBe(2)
  app.scope.stop()
})

test('shows what the newest question counted, and pushes what it counted', async () => {
  const counts = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()] as const
  const waiting = [...counts]
  const app = createRendererApp({
    contacts: {
      tagBatch: () => ({ batch: null }),
      preview: () => waiting.shift()!.promise,
      push: () => ({ taskId: null }),
    },
  })
  const selection = createContactSelection(
    () => ({}),
    () => 9,
  )
  selection.all()
  const drawer = { id: () => null, close() {} }
  const actions = app.run(() => useContactActions(selection, () => {}, drawer))
  const push = async () => {
    await actions.push({ uncheckedKnowingly: true, leaveOutNameless: false })
    return app.calls.at(-1)!.input
  }
  const asked = [actions.ask('delete', { ids: [8] }), actions.ask('push', { ids: [7] })]
  counts[0].resolve({ count: 5, upToId: 5 })
  await asked[0]
  expect(actions.question.about).toMatchObject({ action: 'push', preview: null })
  counts[1].resolve({ count: 1, upToId: 9 })
  await asked[1]
  expect(await push()).toMatchObject({ selection: { ids: [7] } })
  expect(selection.count.value, 'of one contact, the selection stays').toBe(9)
  waiting.push({ ...counts[0], promise: Promise.resolve({ count: 9, upToId: 9 }) })
  await actions.ask('push')
  expect(await push()).toMatchObject({ selection: { upToId: 9 } })
  expect(selection.count.value).toBe(0)
  app.scope.stop()
})

test('says nothing of a task that left the list', async () => {
  const { become, at } = await tagging()
  await become(at(3_000))
  expect(await become()).toBeNull()
})
