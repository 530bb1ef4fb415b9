import { expect, onTestFinished, test, vi } from 'vitest'
import { nextTick, ref } from 'vue'
import { useMessageDetail } from '../../../../../renderer/src/features/messages/message-detail.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'
import { aDetail, aMessage } from '../../../../helpers/scripted/messages.ts'

test('opening a closed message again is a click, and shows that it loads', async () => {
  const id = ref<string | null>('m-1')
  const app = createRendererApp({ messages: { get: () => aDetail(aMessage({ id: 'm-1' })) } })
  onTestFinished(() => app.scope.stop())
  const { state } = app.run(() =>
    useMessageDetail({ openId: () => id.value, known: () => null, onAnswer: () => {} }),
  )
  await vi.waitFor(() => expect(state.value).toMatchObject({ busy: false, detail: { id: 'm-1' } }))
  id.value = null
  await vi.waitFor(() => expect(state.value).toBeNull())
  id.value = 'm-1'
  await nextTick()
  expect(state.value).toMatchObject({ busy: true })
  expect(app.calls.map(({ input }) => input)).toEqual([
    { id: 'm-1', several: false },
    { id: 'm-1', several: false },
  ])
})
