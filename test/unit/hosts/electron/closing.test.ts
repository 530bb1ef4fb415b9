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

/** A window of a console: by default it closes to the tray, and nothing runs. */
function openWindow(hasTray: boolean, of: Partial<DesktopState> = {}) {
  const window = Object.assign(new EventEmitter(), {
    webContents: new EventEmitter(),
    isDestroyed: () => false,
    hide: vi.fn(),
    minimize: vi.fn(),
    close: vi.fn(),
  })
  const state: DesktopState = {
    theme: 'system',
    language: 'en',
    closeToTray: true,
    sending: null,
    troubled: [],
    work: { tasks: 0, requests: 0 },
    ...of,
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
    await settled()
  }
  /** The page has unsaved text and is about to be unloaded. True when it stays. */
  const unload = async () => {
    const preventDefault = vi.fn()
    window.webContents.emit('will-prevent-unload', { preventDefault })
    await settled()
    // Electron's event says that the page may go only when it is prevented.
    return preventDefault.mock.calls.length === 0
  }
  return { window, closing, close, unload }
}

const settled = () => new Promise(setImmediate)
/** What Electron does at `app.quit()`, before it closes the windows. */
const heard = (emitter: { on: ReturnType<typeof vi.fn> }, name: string) =>
  emitter.on.mock.calls.findLast(([event]) => event === name)![1] as (event?: object) => void
const said = () =>
  desktop.dialog.showMessageBox.mock.calls.map((args) => (args.at(-1) as { message: string }).message)

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

const busy = { closeToTray: false, work: { tasks: 1, requests: 0 } }

test.skipIf(process.platform === 'darwin')(
  'asks before work is interrupted, and quits only then',
  async () => {
    desktop.dialog.showMessageBox
      .mockResolvedValueOnce({ response: 1 })
      .mockResolvedValueOnce({ response: 0 })
    const { close, closing } = openWindow(true, busy)
    await close()
    expect(said()).toEqual(['Quit Switchboard?'])
    expect(desktop.dialog.showMessageBox.mock.lastCall!.at(-1)).toMatchObject({
      detail: expect.stringContaining('1 task is running.'),
    })
    expect(desktop.app.quit).not.toHaveBeenCalled()
    closing.quit()
    closing.quit()
    await settled()
    expect(said()).toHaveLength(2)
    expect(desktop.app.quit).toHaveBeenCalledTimes(1)
  },
)

test.runIf(process.platform === 'linux')(
  'on a Mac closes the window only, also after text was kept',
  async () => {
    vi.stubGlobal('process', { ...process, platform: 'darwin' })
    desktop.dialog.showMessageBox.mockResolvedValue({ response: 1 })
    const { window, close, unload } = openWindow(true, { closeToTray: false })
    for (const closes of [1, 2]) {
      await close()
      expect(window.close).toHaveBeenCalledTimes(closes)
      expect(await unload()).toBe(true)
    }
    expect(said()).toEqual(['Discard unsaved changes?', 'Discard unsaved changes?'])
    expect(desktop.app.quit).not.toHaveBeenCalled()
    vi.unstubAllGlobals()
  },
)

test('asks before queued requests are interrupted', async () => {
  desktop.dialog.showMessageBox.mockResolvedValueOnce({ response: 1 })
  const { closing } = openWindow(true, { work: { tasks: 0, requests: 2 } })
  closing.quit()
  await settled()
  expect(said()).toEqual(['Quit Switchboard?'])
  expect(desktop.app.quit).not.toHaveBeenCalled()
})

test('quits without a question while nothing runs', async () => {
  const { closing } = openWindow(true)
  closing.quit()
  await settled()
  expect(said()).toEqual([])
  expect(desktop.app.quit).toHaveBeenCalled()
})

test('asks before unsaved text is lost, and quits once it may be', async () => {
  desktop.dialog.showMessageBox.mockResolvedValueOnce({ response: 1 }).mockResolvedValueOnce({ response: 0 })
  const { closing, unload } = openWindow(true)
  const quit = async () => {
    closing.quit()
    await settled()
    heard(desktop.app, 'before-quit')()
    return unload()
  }
  expect(await quit()).toBe(true)
  expect(said()).toEqual(['Discard unsaved changes?'])
  expect(closing.isQuitting()).toBe(false)
  expect(desktop.app.quit).toHaveBeenCalledTimes(1)

  expect(await quit()).toBe(true)
  expect(desktop.app.quit).toHaveBeenCalledTimes(3)
  heard(desktop.app, 'before-quit')()
  expect(await unload()).toBe(false)
  expect(said()).toHaveLength(2)
})

test.each([
  [
    'of a Windows session',
    (window: EventEmitter) => void window.emit('session-end', { reasons: ['shutdown'] }),
  ],
  [
    'of the computer',
    () => {
      const preventDefault = vi.fn()
      heard(desktop.powerMonitor, 'shutdown')({ preventDefault })
      // Otherwise the system doesn't wait for the app.
      expect(preventDefault).toHaveBeenCalled()
    },
  ],
])('quits at the end %s without asking, though text is unsaved', async (_what, end) => {
  const { window, unload } = openWindow(true, busy)
  end(window)
  expect(desktop.app.quit).toHaveBeenCalledTimes(1)
  heard(desktop.app, 'before-quit')()
  expect(await unload()).toBe(false)
  expect(said()).toEqual([])
})
