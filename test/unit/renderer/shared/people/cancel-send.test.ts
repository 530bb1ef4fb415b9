import { expect, test } from 'vitest'
import CancelSend from '../../../../../renderer/src/shared/people/CancelSend.vue'
import { createRendererApp, setupOf } from '../../../../helpers/renderer-app.ts'
import { outboxCounts } from '../../../../helpers/scripted/outbox.ts'

test('asks before it cancels the rest of a send, and undoes one that waits for its start', async () => {
  const app = createRendererApp({
    outbox: {
      cancel: () => ({ cancelled: 3, left: 0 }),
      undo: () => ({ undone: 8, lost: 0, unmarked: 0, left: 0 }),
    },
  })
  const counts = outboxCounts({ queued: 2, blocked: 1, 'in-flight': 1, done: 4 })
  for (const startAt of [null, '2036-01-05T09:30:00Z']) {
    const { question, count, confirm } = app.run(() =>
      setupOf<{
        question: { about: unknown; ask: (about: true) => void }
        count: { value: number }
        confirm: () => Promise<void>
      }>(CancelSend, { batchId: 'b', title: 'Offer', counts, startAt }),
    )
    expect(count.value).toBe(3)
    question.ask(true)
    await confirm()
    expect(question.about).toBeNull()
  }
  expect(app.calls).toEqual([
    {
      name: 'outbox.cancel',
      input: {
        selection: { filter: { batchId: 'b', states: ['undoable', 'scheduled', 'queued', 'blocked'] } },
      },
    },
    { name: 'outbox.undo', input: { batchId: 'b' } },
  ])
  app.scope.stop()
})
