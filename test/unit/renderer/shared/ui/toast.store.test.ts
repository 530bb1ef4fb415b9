import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useToastStore } from '../../../../../renderer/src/shared/ui/toast.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const open = () => createRendererApp({}).run(useToastStore)

test('shows one toast at a time, the latest for six seconds', () => {
  const toasts = open()
  toasts.show('First.')
  vi.advanceTimersByTime(5_000)
  toasts.show('Second.')
  vi.advanceTimersByTime(5_900)
  expect(toasts.shown?.text).toBe('Second.')
  vi.advanceTimersByTime(100)
  expect(toasts.shown).toBeNull()
})

test('keeps a toast that stays until it is dismissed, also under later ones', () => {
  const toasts = open()
  toasts.show('3 contacts restored. 1 not restored.', { stays: true })
  toasts.show('Saved.')
  vi.advanceTimersByTime(6_000)
  expect(toasts.shown?.text).toContain('1 not restored')
  vi.advanceTimersByTime(600_000)
  expect(toasts.shown?.text).toContain('1 not restored')
  toasts.dismiss()
  expect(toasts.shown).toBeNull()
})

test('waits while the pointer or the focus is on it', () => {
  const toasts = open()
  toasts.show('Saved.')
  toasts.hold()
  vi.advanceTimersByTime(60_000)
  expect(toasts.shown?.text).toBe('Saved.')
  toasts.resume()
  vi.advanceTimersByTime(6_000)
  expect(toasts.shown).toBeNull()
})
