import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nextTick, ref } from 'vue'
import { useSavedNumber } from '../../../../../renderer/src/features/contacts/use-saved-number.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const read: Record<string, string | null> = {
  '48601223024': '+4948601223024',
  '+48601223024': '+48601223024',
  '1712345678': '+491712345678',
  '+1712345678': null,
}

test('says how an ambiguous number without a plus will be saved', async () => {
  const asked: string[] = []
  const checkOffline = ({ phones }: { phones: string[] }) => {
    asked.push(...phones)
    return { verdicts: phones.map((input) => ({ phone: read[input] ?? null })) }
  }
  const phone = ref('')
  const app = createRendererApp({ dnc: { checkOffline } })
  const note = app.run(() => useSavedNumber(() => phone.value, ref('DE')))
  async function type(text: string): Promise<string> {
    phone.value = text
    await nextTick()
    await vi.advanceTimersByTimeAsync(1_000)
    return note.value
  }
  expect(await type('48601223024')).toBe('Saved as +4948601223024. For +48601223024, start with +.')
  expect(await type('1712345678'), 'no country has the other one').toBe('')
  asked.length = 0
  for (const text of ['+48601223024', '048601223024', '123', 'abc 1234567']) expect(await type(text)).toBe('')
  expect(asked).toEqual([])
  app.scope.stop()
})
