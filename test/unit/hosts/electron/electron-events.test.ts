import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'

// Outside Electron the package is just a path to a binary.
const made: EventEmitter[] = []
vi.mock('electron', () => ({
  app: { isPackaged: true },
  BrowserWindow: {},
  dialog: {},
  Notification: class extends EventEmitter {
    constructor() {
      super()
      made.push(this)
    }
    show() {}
  },
}))
const checkForUpdates = vi.fn(() => Promise.resolve(null))
vi.mock('electron-updater', () => ({
  default: { autoUpdater: { checkForUpdates, setFeedURL: () => {}, on: () => {} } },
}))
const { installUpdates } = await import('#electron/hosts/electron/install-updates.ts')
const { createNotifier } = await import('#electron/hosts/electron/notifications.ts')

test('reports a notification as not shown when the desktop does not answer in time', async () => {
  const clock = createFakeClock()
  const notify = createNotifier(() => {}, clock)
  const outcome = expect(notify({ key: 'a', title: 'A', body: '' })).rejects.toMatchObject({
    code: 'UNSUPPORTED',
  })
  await clock.advance(5_000)
  await outcome
})

test('reports a notification as shown once the desktop shows it', async () => {
  const clock = createFakeClock()
  const shown = createNotifier(() => {}, clock)({ key: 'a', title: 'A', body: '' })
  made.at(-1)!.emit('show')
  await shown
  expect(clock.pending()).toBe(0)
})

test('checks for no update when stopped before the updater is loaded', async () => {
  installUpdates('https://updates.example/', quietLog)()
  await vi.dynamicImportSettled()
  expect(checkForUpdates).not.toHaveBeenCalled()
  const stop = installUpdates('https://updates.example/', quietLog)
  await vi.dynamicImportSettled()
  await expect.poll(() => checkForUpdates.mock.calls.length).toBe(1)
  stop()
})
