import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { revealWhenReady } from '#electron/hosts/electron/reveal.ts'
import { createFakeClock } from '../../../helpers/fake-clock.ts'

function hiddenWindow(platform: NodeJS.Platform) {
  const webContents = new EventEmitter()
  const window = Object.assign(new EventEmitter(), { webContents })
  const clock = createFakeClock()
  const show = vi.fn()
  revealWhenReady(window, { platform, clock, show })
  return { window, webContents, clock, show }
}

test.each([
  ['it is ready', 'linux', 0, ['window', 'ready-to-show']],
  ['it is ready', 'darwin', 0, ['window', 'ready-to-show']],
  ['its page loaded', 'linux', 0, ['webContents', 'did-finish-load']],
  ['its page loaded', 'win32', 1_500, ['webContents', 'did-finish-load']],
  ['its page failed to load', 'win32', 0, ['webContents', 'did-fail-load', {}, -6, '', '', true]],
  ['its page’s process ended', 'win32', 0, ['webContents', 'render-process-gone']],
  ['nothing else happened', 'win32', 15_000, null],
] as const)('shows the window when %s, on %s after %d ms', async (_what, platform, afterMs, event) => {
  const { clock, show, ...emitters } = hiddenWindow(platform)
  if (event) {
    const [emitter, name, ...args] = event
    emitters[emitter].emit(name, ...args)
  }
  await clock.advance(afterMs - 1)
  expect(show).toHaveBeenCalledTimes(afterMs === 0 ? 1 : 0)
  await clock.advance(1)
  expect(show).toHaveBeenCalledTimes(1)
})

test('shows the window once', async () => {
  const { window, webContents, clock, show } = hiddenWindow('win32')
  webContents.emit('did-finish-load')
  window.emit('ready-to-show')
  webContents.emit('render-process-gone')
  await clock.advance(60_000)
  expect(show).toHaveBeenCalledTimes(1)
  expect(clock.pending()).toBe(0)
})

test('does not show a window for a frame inside its page, or after it closed', async () => {
  const { window, webContents, clock, show } = hiddenWindow('win32')
  webContents.emit('did-fail-load', {}, -6, '', '', false)
  webContents.emit('did-finish-load')
  window.emit('closed')
  await clock.advance(60_000)
  expect(show).not.toHaveBeenCalled()
})
