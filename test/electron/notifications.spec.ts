import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, openSandbox, test } from './fixtures.ts'

interface Seen {
  shown?: WeakRef<Electron.Notification>
}

test('a click on a notification shows the window at the page that it is about', async ({ startDesktop }) => {
  // With a taken port the console’s listener can’t start, which triggers a notification.
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const desktop = await startDesktop({ env: { SWITCHBOARD_LISTENER_PORT: String(port) } })
  const page = await desktop.window()
  await desktop.main(({ Notification }) => {
    const { show } = Notification.prototype
    Notification.prototype.show = function () {
      ;(globalThis as Seen).shown = new WeakRef(this)
      show.call(this)
    }
  })
  await openSandbox(page)
  await expect.poll(() => desktop.main(() => (globalThis as Seen).shown !== undefined)).toBe(true)
  taken.close()
  const isShown = await desktop.main(({ BrowserWindow }) => {
    // Only the console holds the notification now.
    process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc')
    process.getBuiltinModule('node:vm').runInNewContext('gc')()
    const [window] = BrowserWindow.getAllWindows()
    window!.hide()
    ;(globalThis as Seen).shown!.deref()!.emit('click', {})
    return window!.isVisible()
  })
  expect(isShown).toBe(true)
  await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/settings?section=listener')
})
