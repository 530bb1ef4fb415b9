import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

// Outside Electron the package is just a path to a binary.
const made: EventEmitter[] = []
const app = vi.hoisted(() => ({ isPackaged: true, once: vi.fn(), quit: vi.fn() }))
const window = { destroy: vi.fn() }
const systemUpdater = new EventEmitter()
vi.mock('electron', () => ({
  app,
  autoUpdater: systemUpdater,
  BrowserWindow: { getAllWindows: () => [window] },
  dialog: { showMessageBox: () => Promise.resolve({ response: 0 }) },
  Notification: class extends EventEmitter {
    constructor() {
      super()
      made.push(this)
    }
    show() {}
  },
}))
const checkForUpdates = vi.fn(() => Promise.resolve(null))
const quitAndInstall = vi.fn()
const updater = Object.assign(new EventEmitter(), { checkForUpdates, quitAndInstall, setFeedURL: () => {} })
vi.mock('electron-updater', () => ({ default: { autoUpdater: updater } }))
const { installUpdates } = await import('#electron/hosts/electron/install-updates.ts')
const { withdrawSecrets } = await import('#electron/hosts/withdrawn-secrets.ts')
const { createNotifier } = await import('#electron/hosts/electron/notifications.ts')

const unsupported = { code: 'UNSUPPORTED' }

test.each([
  // The prompt that precedes the first notification on macOS stays for a minute.
  ['linux', 4_999],
  ['darwin', 59_000],
] as const)(
  'waits for the desktop to show the first notification, on %s at least %d ms',
  async (platform, waitMs) => {
    const clock = createFakeClock()
    const notify = createNotifier(() => {}, { clock, platform })
    const first = notify({ key: 'a', title: 'A', body: '' })
    await clock.advance(waitMs)
    made.at(-1)!.emit('show')
    await first
    expect(clock.pending()).toBe(0)
    const second = expect(notify({ key: 'b', title: 'B', body: '' })).rejects.toMatchObject(unsupported)
    await clock.advance(5_000)
    await second
  },
)

test('reports a notification that failed, and passes the key of one that is clicked', async () => {
  const clicked: string[] = []
  const notify = createNotifier((key) => clicked.push(key), { clock: createFakeClock(), platform: 'linux' })
  const failing = expect(notify({ key: 'a', title: 'A', body: '' })).rejects.toMatchObject(unsupported)
  made.at(-1)!.emit('failed')
  await failing
  const shown = notify({ key: 'b', title: 'B', body: '' })
  made.at(-1)!.emit('show')
  await shown
  made.at(-1)!.emit('click')
  expect(clicked).toEqual(['b'])
})

function install() {
  const folder = tempFolder()
  // Electron has this member, Node does not.
  Object.assign(process, { resourcesPath: folder })
  return installUpdates({ feedUrl: 'https://updates.example/', dataDir: folder, log: quietLog })
}

test('checks for no update when stopped before the updater is loaded', async () => {
  install()()
  await vi.dynamicImportSettled()
  expect(checkForUpdates).not.toHaveBeenCalled()
  const stop = install()
  await vi.dynamicImportSettled()
  await expect.poll(() => checkForUpdates.mock.calls.length).toBe(1)
  stop()
})

test.skipIf(process.platform !== 'linux')(
  'starts the new version with the secrets of this start',
  async () => {
    vi.stubEnv('SWITCHBOARD_API_KEY', 'k-1')
    withdrawSecrets()
    const stop = install()
    await vi.dynamicImportSettled()
    await expect.poll(() => updater.listenerCount('update-downloaded')).toBeGreaterThan(0)
    updater.emit('update-downloaded', { version: '0.2.0' })
    await expect.poll(() => app.quit.mock.calls.length).toBeGreaterThan(0)
    expect(process.env['SWITCHBOARD_API_KEY']).toBeUndefined()
    quitAndInstall.mockImplementation(() => expect(process.env['SWITCHBOARD_API_KEY']).toBe('k-1'))
    for (const [event, quit] of app.once.mock.calls) if (event === 'quit') (quit as () => void)()
    expect(quitAndInstall).toHaveBeenCalled()
    stop()
  },
)

test('closes the windows on macOS only when the system took the update', async () => {
  const { platform } = process
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }))
  Object.defineProperty(process, 'platform', { value: 'darwin' })
  quitAndInstall.mockReset()
  updater.removeAllListeners()
  const stop = install()
  await vi.dynamicImportSettled()
  await expect.poll(() => updater.listenerCount('update-downloaded')).toBeGreaterThan(0)
  updater.emit('update-downloaded', { version: '0.3.0' })
  await expect.poll(() => quitAndInstall.mock.calls.length).toBe(1)
  expect(window.destroy).not.toHaveBeenCalled()
  systemUpdater.emit('before-quit-for-update')
  expect(window.destroy).toHaveBeenCalled()
  stop()
})
