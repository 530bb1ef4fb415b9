import { EventEmitter } from 'node:events'
import { beforeEach, expect, test, vi } from 'vitest'
import type { DesktopState } from '#contract/connection/desktop.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'

// Outside Electron the package is just a path to a binary.
const desktop = vi.hoisted(() => ({
  app: { on: vi.fn(), quit: vi.fn() },
  dialog: { showMessageBox: vi.fn() },
  powerMonitor: { on: vi.fn() },
}))
vi.mock('electron', () => desktop)
const { createClosing } = await import('#electron/hosts/electron/closing.ts')
beforeEach(() => vi.clearAllMocks())

/** A window of a console that closes to the tray. */
function openWindow(hasTray: boolean) {
  const window = Object.assign(new EventEmitter(), {
    webContents: new EventEmitter(),
    isDestroyed: () => false,
    hide: vi.fn(),
    minimize: vi.fn(),
  })
  const state: DesktopState = {
    theme: 'system',
    language: 'en',
    closeToTray: true,
    sending: null,
    troubled: [],
    work: { tasks: 0, requests: 0 },
  }
  const closing = createClosing({
    state: () => Promise.resolve(state),
    hasTray: () => Promise.resolve(hasTray),
    log: quietLog,
  })
  closing.attach(window as never)
  const close = async () => {
    const preventDefault = vi.fn()
    window.emit('close', { preventDefault })
    expect(preventDefault).toHaveBeenCalled()
    await new Promise(setImmediate)
  }
  return { window, close }
}

test('hides the window in the tray', async () => {
  const { window, close } = openWindow(true)
  await close()
  expect(window.hide).toHaveBeenCalled()
  expect(desktop.dialog.showMessageBox).not.toHaveBeenCalled()
})

test('minimizes the window where no tray would bring it back, and says so once', async () => {
  desktop.dialog.showMessageBox.mockResolvedValue({ response: 0 })
  const { window, close } = openWindow(false)
  await close()
  expect(desktop.dialog.showMessageBox).toHaveBeenCalledExactlyOnceWith(
    window,
    expect.objectContaining({ message: 'This desktop has no tray' }),
  )
  await close()
  expect(window.minimize).toHaveBeenCalledTimes(2)
  expect(desktop.dialog.showMessageBox).toHaveBeenCalledTimes(1)
  expect(window.hide).not.toHaveBeenCalled()
  expect(desktop.app.quit).not.toHaveBeenCalled()
})

test('quits instead where no tray exists and the operator wants that', async () => {
  desktop.dialog.showMessageBox.mockResolvedValue({ response: 1 })
  const { window, close } = openWindow(false)
  await close()
  expect(desktop.app.quit).toHaveBeenCalled()
  expect(window.minimize).not.toHaveBeenCalled()
})
