import { expect, test } from 'vitest'
import FileDrop from '../../../../../renderer/src/shared/files/FileDrop.vue'
import { useToastStore } from '../../../../../renderer/src/shared/ui/toast.store.ts'
import { createRendererApp, setupOf } from '../../../../helpers/renderer-app.ts'

test('names the only file that it takes of several', () => {
  const app = createRendererApp({})
  const toasts = app.run(useToastStore)
  const { take } = app.run(() =>
    setupOf<{ take(files: readonly { name: string }[]): void }>(FileDrop, { what: 'a CSV file' }),
  )
  take([{ name: 'a.csv' }])
  expect(toasts.shown).toBeNull()
  take([{ name: 'a.csv' }, { name: 'b.csv' }, { name: 'c.csv' }])
  expect(toasts.shown).toMatchObject({ text: 'Only one of 3 files is used: a.csv.', stays: true })
  app.scope.stop()
})
