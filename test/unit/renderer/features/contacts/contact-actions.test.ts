import type { Task } from '#contract/platform/tasks.ts'
import { expect, test } from 'vitest'
import { nextTick, shallowRef } from 'vue'
import { createContactSelection } from '../../../../../renderer/src/features/contacts/contact-selection.ts'
import { useContactActions } from '../../../../../renderer/src/features/contacts/use-contact-actions.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'
import { aTask } from '../../../../helpers/scripted/tasks.ts'

const begunWords = 'Tagging 17,629 contacts in the background. See Tasks.'

/** Selected contacts that a task tags, and ways to change the task. */
async function tagging(batch: { batchId: string; count: number; until: string } | null = null) {
  const tasks = shallowRef<Task[]>([])
  const answer = { taskId: 't-1', batchId: null, count: 17_629 }
  const client = {
    contacts: { tagBatch: () => Promise.resolve({ batch }), tag: () => Promise.resolve(answer) },
  } as unknown as Client
  const selection = createContactSelection(
    () => ({}),
    () => 17_629,
  )
  selection.all()
  const actions = useContactActions(
    client,
    selection,
    () => {},
    (id) => tasks.value.find((task) => task.id === id) ?? null,
  )
  await actions.tag({ vip: '' }, [])
  const become = async (...next: Task[]) => {
    tasks.value = next
    await nextTick()
    return actions.told.value
  }
  const at = (done: number, state: Task['state'] = 'running') =>
    aTask({ id: 't-1', kind: 'bulk-tag', state, progress: { done, total: 17_629, unit: 'contacts' } })
  return { actions, become, at }
}

test('reports a tagging task as started, and as done once it ends', async () => {
  const { actions, become, at } = await tagging()
  expect(actions.told.value).toBe(begunWords)
  expect(await become()).toBe(begunWords)
  expect(await become(at(2_000))).toBe(begunWords)
  expect(await become(at(2_000, 'paused'))).toBe(begunWords)
  await become(at(17_629, 'done'))
  await nextTick()
  expect(actions.told.value).toBe('17,629 contacts tagged.')
})

test('reports the number of tagged contacts once, beside the undo', async () => {
  const batch = { batchId: 'b-1', count: 17_629, until: '2026-01-05T09:10:00Z' }
  const { actions, become, at } = await tagging(batch)
  expect(await become(at(17_629, 'done'))).toBe('')
  await nextTick()
  expect([actions.told.value, actions.tagged.value]).toEqual(['', batch])
})

test('says how far a cancelled tagging task came', async () => {
  const { become, at } = await tagging()
  expect(await become(at(3_000))).toBe(begunWords)
  expect(await become(at(3_000, 'cancelled'))).toBe('Tag contacts cancelled: 3,000 of 17,629 contacts.')
})

test('drops the message when its task is gone or the message was dismissed', async () => {
  const first = await tagging()
  await first.become(first.at(3_000))
  expect(await first.become()).toBe('')
  const second = await tagging()
  await second.become(second.at(3_000))
  second.actions.told.value = ''
  expect(await second.become(second.at(17_629, 'done'))).toBe('')
})
