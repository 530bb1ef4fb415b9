import { expect, openSandbox, test } from './fixtures.ts'
import { putClientInto } from './page-client.ts'

test('shows the state in the tray and its menu, restores the window, and quits with the last window', async ({
  startDesktop,
}) => {
  const desktop = await startDesktop()
  const page = await desktop.window()
  type TrayGlobals = {
    tray?: Electron.Tray
    trayText?: string
    trayMenu?: { items: { label?: string; click?: () => void }[] }
  }
  await desktop.main(({ Tray }) => {
    const globals = globalThis as unknown as TrayGlobals
    const { setContextMenu, setToolTip } = Tray.prototype
    Tray.prototype.setToolTip = function (text) {
      globals.trayText = text
      setToolTip.call(this, text)
    }
    Tray.prototype.setContextMenu = function (menu) {
      globals.tray = this
      globals.trayMenu = menu as unknown as NonNullable<TrayGlobals['trayMenu']>
      setContextMenu.call(this, menu)
    }
  })
  await openSandbox(page)
  const labels = () =>
    desktop.main(() => (globalThis as unknown as TrayGlobals).trayMenu?.items.map(({ label }) => label ?? ''))
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

  await expect
    .poll(() => desktop.main(() => (globalThis as unknown as TrayGlobals).trayText))
    .toBe('Switchboard, Sandbox: listening')

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
  const menus = () => desktop.main(({ Menu }) => Menu.getApplicationMenu()!.items.map(({ label }) => label))
  expect((await menus()).slice(-5)).toEqual(['Archivo', 'Edición', 'Ver', 'Ventana', 'Ayuda'])
  await speak('en')
  await expect.poll(labels).toContain('Quit Switchboard')

  const isShown = () => desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())
  await desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
  await expect.poll(isShown).toBe(false)
  const choose = (label: string) =>
    desktop.main((_electron, wanted) => {
      const { items } = (globalThis as unknown as TrayGlobals).trayMenu!
      items.find((item) => item.label === wanted)!.click!()
    }, label)
  await choose('Open Switchboard')
  await expect.poll(isShown).toBe(true)
  // On a Mac a click opens the menu instead.
  if (process.platform !== 'darwin') {
    await desktop.main(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.hide()
      ;(globalThis as unknown as TrayGlobals).tray!.emit('click', {})
    })
    await expect.poll(isShown).toBe(true)
  }
  // On a Mac the app stays without a window.
  if (process.platform === 'darwin') await choose('Quit Switchboard').catch(() => undefined)
  else await desktop.main(({ app }) => void app.emit('window-all-closed'))
  expect(await desktop.exited).toBe(0)
})
