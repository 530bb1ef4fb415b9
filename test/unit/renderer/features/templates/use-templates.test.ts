import { environmentManager } from '@tanstack/vue-query'
import { expect, test, vi } from 'vitest'
import { useTemplates } from '../../../../../renderer/src/features/templates/use-templates.ts'
import { useTasksStore } from '../../../../../renderer/src/shared/tasks/tasks.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { outboxCounts } from '../../../../helpers/scripted/outbox.ts'

test('reads a dry run or send until it has ended, also when its end arrives before the first answer', async () => {
  vi.useFakeTimers()
  // A window reads again at intervals, a server doesn't.
  environmentManager.setIsServer(() => false)
  const answers: ((answer: unknown) => void)[] = []
  const app = createRendererApp({
    templates: {
      list: () => ({ items: [] }),
      channels: () => ({ items: [] }),
      sends: () => ({ items: [] }),
      sendOf: () => new Promise((resolve) => answers.push(resolve)),
    },
  })
  app.run(useTasksStore).start()
  const { send } = app.run(() => useTemplates(() => 'send-1'))
  await vi.advanceTimersByTimeAsync(1)
  app.streams[0]!.onItem({ tasks: [{ id: 'task-1', kind: 'ott-prepare', state: 'done' }] } as never)
  await vi.advanceTimersByTimeAsync(1)
  answers.shift()!({ send: { state: 'preparing' }, outcome: null })
  await vi.advanceTimersByTimeAsync(2_001)
  answers.shift()?.({ send: { state: 'prepared' }, outcome: null })
  await vi.advanceTimersByTimeAsync(1)
  expect(send.data.value!.send.state).toBe('prepared')
  // Its retries are in another batch.
  void send.refetch()
  await vi.advanceTimersByTimeAsync(1)
  answers.shift()!({ send: { state: 'queued' }, outcome: outboxCounts({ done: 9, 'sent-again': 4 }) })
  await vi.advanceTimersByTimeAsync(2_001)
  answers.shift()?.({ send: { state: 'finished' } })
  await vi.advanceTimersByTimeAsync(1)
  expect(send.data.value!.send.state).toBe('finished')
  app.scope.stop()
  vi.useRealTimers()
})
