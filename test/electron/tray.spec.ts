import { expect, openSandbox, test } from './fixtures.ts'

test('the tray tells that the console listens, by the connection’s name', async ({ startDesktop }) => {
  const desktop = await startDesktop()
  const page = await desktop.window()
  await desktop.main(({ Tray }) => {
    const told = globalThis as unknown as { trayText?: string }
    const setToolTip = Tray.prototype.setToolTip
    Tray.prototype.setToolTip = function (text: string) {
      told.trayText = text
      setToolTip.call(this, text)
    }
  })
  await openSandbox(page)
  await expect
    .poll(() => desktop.main(() => (globalThis as unknown as { trayText?: string }).trayText))
    .toBe('Switchboard, Sandbox: listening')
})
