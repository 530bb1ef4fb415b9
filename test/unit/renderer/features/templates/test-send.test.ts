import { expect, test } from 'vitest'
import type { Ref } from 'vue'
import TestSend from '../../../../../renderer/src/features/templates/components/TestSend.vue'
import { createRendererApp, setupOf } from '../../../../helpers/renderer-app.ts'

interface Shown {
  ask: () => Promise<void>
  question: { busy: boolean }
  to: Ref<string>
  batchId: Ref<string | null>
}

test('a double click sends one test, to the number that was looked up', async () => {
  const lookUp = Promise.withResolvers<unknown>()
  const app = createRendererApp({
    templates: { recipient: () => lookUp.promise, test: () => ({ batchId: 'b' }) },
  })
  const shown = { send: { id: 's' }, test: { phone: '+491511234567', batchId: null } }
  const { ask, question, to, batchId } = app.run(() =>
    setupOf<Shown>(TestSend, { shown, recipient: { at: 1, values: [] }, typeName: null }),
  )
  void ask()
  expect(question.busy).toBe(true)
  void ask()
  to.value = '+491519999999'
  lookUp.resolve({ recipient: null })
  await expect.poll(() => batchId.value).toBe('b')
  expect(app.calls.filter(({ name }) => name.startsWith('templates.'))).toMatchObject([
    { name: 'templates.recipient', input: { find: { phone: '+491511234567' } } },
    { name: 'templates.test', input: { to: '+491511234567' } },
  ])
  app.scope.stop()
})
