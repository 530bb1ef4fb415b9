import { expect, openSandbox, test } from './fixtures.ts'
import { putClientInto } from './page-client.ts'

test('shows in the tray that the console listens, with the connection’s name', async ({ startDesktop }) => {
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

test('shows the state in the tray’s menu, restores the window and quits', async ({ startDesktop }) => {
  const desktop = await startDesktop()
  const page = await desktop.window()
  type Told = { tray?: Electron.Tray; trayMenu?: { items: { label?: string; click?: () => void }[] } }
  await desktop.main(({ Tray }) => {
    const told = globalThis as unknown as Told
    const setContextMenu = Tray.prototype.setContextMenu
    Tray.prototype.setContextMenu = function (menu) {
      told.tray = this
      told.trayMenu = menu as unknown as NonNullable<Told['trayMenu']>
      setContextMenu.call(this, menu)
    }
  })
  await openSandbox(page)
  const labels = () =>
    desktop.main(() => (globalThis as unknown as Told).trayMenu?.items.map(({ label }) => label ?? ''))
  await expect
    .poll(labels)
    .toEqual([
      'Switchboard, Sandbox: listening',
      '',
      'Open Switchboard',
      'Open Live events',
      'Pause sending',
      '',
      'Quit Switchboard',
    ])

  await putClientInto(page)
  const speak = (language: 'en' | 'es') =>
    page.evaluate(async (wanted) => {
      const { settings } = await window.openRpc()
      await settings.setAppearance({ theme: 'system', density: 'compact', language: wanted })
    }, language)
  await speak('es')
  await expect
    .poll(labels)
    .toEqual([
      'Switchboard, Sandbox: recibiendo eventos',
      '',
      'Abrir Switchboard',
      'Abrir Eventos en vivo',
      'Pausar envío',
      '',
      'Salir de Switchboard',
    ])
  await speak('en')
  await expect.poll(labels).toContain('Quit Switchboard')

  const isShown = () => desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())
  await desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
  await expect.poll(isShown).toBe(false)
  const choose = (label: string) =>
    desktop.main((_electron, wanted) => {
      const { items } = (globalThis as unknown as Told).trayMenu!
      items.find((item) => item.label === wanted)!.click!()
    }, label)
  await choose('Open Switchboard')
  await expect.poll(isShown).toBe(true)
  // On a Mac a click opens the menu instead.
  if (process.platform !== 'darwin') {
    await desktop.main(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.hide()
      ;(globalThis as unknown as Told).tray!.emit('click', {})
    })
    await expect.poll(isShown).toBe(true)
  }
  await choose('Quit Switchboard').catch(() => undefined)
  expect(await desktop.exited).toBe(0)
})
