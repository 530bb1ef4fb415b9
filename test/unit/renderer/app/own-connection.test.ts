import { expect, test } from 'vitest'
import { nextTick, ref } from 'vue'
import { useOwnConnection } from '../../../../renderer/src/app/own-connection.ts'
import { createRendererApp } from '../../../helpers/renderer-app.ts'

test.each([
  ['a tab keeps the connection it showed first', ['sessions'], 'a'],
  ['the desktop window keeps none', ['window.native'], null],
])('%s', async (_what, capabilities, kept) => {
  const app = createRendererApp({ settings: { about: () => ({ capabilities }) } })
  const shown = ref<string | null>('a')
  const own = app.run(() => useOwnConnection(shown))
  expect(own.value).toBeNull()
  await expect.poll(() => app.calls.length).toBe(1)
  await nextTick()
  await expect.poll(() => own.value).toBe(kept)
  app.scope.stop()
})
