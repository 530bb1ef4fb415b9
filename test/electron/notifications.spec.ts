import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, openSandbox, test } from './fixtures.ts'

/** A taken port: the console’s listener can’t start, which triggers a notification. */
const taken = test.extend<{ takenPort: string }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
  takenPort: async ({}, use) => {
    const server = createServer()
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    await use(String((server.address() as AddressInfo).port))
    server.close()
  },
})

taken(
  'a click on a notification shows the window at the page that it is about',
  async ({ startDesktop, takenPort }) => {
    const desktop = await startDesktop({ env: { SWITCHBOARD_LISTENER_PORT: takenPort } })
    const page = await desktop.window()
    type Seen = { shown?: WeakRef<Electron.Notification> }
    await desktop.main(({ Notification }) => {
      const { show } = Notification.prototype
      Notification.prototype.show = function () {
        ;(globalThis as Seen).shown = new WeakRef(this)
        show.call(this)
      }
    })
    await openSandbox(page)
    await expect.poll(() => desktop.main(() => (globalThis as Seen).shown !== undefined)).toBe(true)
    const shown = await desktop.main(({ BrowserWindow }) => {
      // Only the console holds the notification now.
      process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc')
      process.getBuiltinModule('node:vm').runInNewContext('gc')()
      const [window] = BrowserWindow.getAllWindows()
      window!.hide()
      ;(globalThis as Seen).shown!.deref()!.emit('click', {})
      return window!.isVisible()
    })
    expect(shown).toBe(true)
    await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/settings?section=listener')
  },
)
