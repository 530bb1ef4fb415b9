import type { Page } from '@playwright/test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Desktop, runToEnd } from './desktop.ts'
import { expect, openSandbox, sandboxOfFile, test } from './fixtures.ts'
import { putClientInto } from './page-client.ts'

/** What a test stores in the main process. */
interface Kept {
  asked?: { message: string; detail: string; buttons: string[] }[]
  answer?: number
  popup?: { label?: string; role?: string; click?: () => void }[]
  trayMenu?: { label?: string; click?: () => void }[]
}

const hash = (page: Page) => page.evaluate(() => location.hash)

/** Clicks an item of the application menu by its label. */
const clickMenu = (desktop: Desktop, label: string) =>
  desktop.main(({ Menu }, wanted) => {
    const items = Menu.getApplicationMenu()!.items.flatMap(({ submenu }) => submenu?.items ?? [])
    const item = items.find((each) => each.label === wanted)
    if (!item) throw new Error(`There is no ${wanted} among ${items.map((each) => each.label).join(', ')}`)
    item.click()
  }, label)

/** Answers every later message box with the button `answer`, and records it. */
const answerWith = (desktop: Desktop, answer: number) =>
  desktop.main(({ dialog }, response) => {
    const kept = globalThis as Kept
    kept.answer = response
    if (kept.asked) return
    kept.asked = []
    dialog.showMessageBox = (...args: unknown[]) => {
      kept.asked!.push(args.at(-1) as never)
      return Promise.resolve({ response: kept.answer!, checkboxChecked: false })
    }
  }, answer)
const asked = (desktop: Desktop) =>
  desktop.main(() => (globalThis as Kept).asked!.map(({ message }) => message))
const detail = (desktop: Desktop) => desktop.main(() => (globalThis as Kept).asked!.at(-1)?.detail)

const closeWindow = (desktop: Desktop) =>
  desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close())

const windows = (desktop: Desktop) =>
  desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((each) => each.isVisible()))

/** Types a contact and leaves it unsaved. */
async function typeContact(page: Page): Promise<void> {
  // The desktop answers the page’s question; without this Playwright would.
  page.on('dialog', () => {})
  await page.evaluate(() => (location.hash = '#/contacts'))
  await page.getByRole('button', { name: 'New contact' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada')
}

const sandbox = sandboxOfFile((desktop) =>
  desktop.main(({ Tray }) => {
    const setContextMenu = Tray.prototype.setContextMenu
    Tray.prototype.setContextMenu = function (menu) {
      ;(globalThis as Kept).trayMenu = menu!.items as never
      setContextMenu.call(this, menu)
    }
  }),
)

test('has About and shortcuts in the menu, and reload only in development', async ({ desktopKind }) => {
  const { desktop, page } = await sandbox(desktopKind)
  await clickMenu(desktop, 'About Switchboard')
  await expect.poll(() => hash(page)).toBe('#/settings?section=about')
  await clickMenu(desktop, 'Keyboard shortcuts')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.keyboard.press('Escape')
  const roles = () =>
    desktop.main(({ Menu }) =>
      Menu.getApplicationMenu()!.items.flatMap(({ submenu }) =>
        (submenu?.items ?? []).map(({ role }) => String(role).toLowerCase()),
      ),
    )
  expect(await roles()).toContain('reload')
})

test('offers editing on right-click, and finds the contact of a selected number', async ({ desktopKind }) => {
  const { desktop, page } = await sandbox(desktopKind)
  const open = (selectionText: string, isEditable: boolean) =>
    desktop.main(
      ({ BrowserWindow, Menu }, given) => {
        Menu.prototype.popup = function () {
          ;(globalThis as Kept).popup = this.items as never
        }
        const { webContents } = BrowserWindow.getAllWindows()[0]!
        const can = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true }
        webContents.emit('context-menu', {}, { ...given, x: 10, y: 10, frame: null, editFlags: can })
        return (globalThis as Kept).popup!.map(({ label, role }) => role ?? label ?? '')
      },
      { selectionText, isEditable },
    )
  expect((await open('', true)).map((role) => role.toLowerCase())).toEqual([
    'cut',
    'copy',
    'paste',
    'selectall',
  ])
  expect((await open('delivered', false)).map((role) => role.toLowerCase())).toEqual(['copy', 'selectall'])
  expect(await open(' +44 (20) 7946-0018 ', false)).toContain('Look up +442079460018')
  await desktop.main(() => (globalThis as Kept).popup![0]!.click!())
  await expect.poll(() => hash(page)).toBe('#/contacts?text=%2B442079460018')
})

test('closes to the tray, which reopens the window and pauses sending', async ({ desktopKind, dataDir }) => {
  const { desktop, page } = await sandbox(desktopKind)
  // A session with a tray: its bus is asked through this tool.
  writeFileSync(join(dataDir, 'gdbus'), '#!/bin/sh\necho "(<true>,)"\n', { mode: 0o755 })
  await desktop.main((_electron, folder) => {
    process.env['PATH'] = `${folder}:${process.env['PATH']}`
  }, dataDir)
  const tray = (label: string) =>
    desktop.main(
      (_electron, wanted) => (globalThis as Kept).trayMenu!.find((item) => item.label === wanted)!.click!(),
      label,
    )
  const labels = () => desktop.main(() => (globalThis as Kept).trayMenu?.map(({ label }) => label ?? ''))
  await page.evaluate(() => (location.hash = '#/settings?section=desktop'))
  await page.getByRole('switch', { name: 'Close to tray' }).click()
  await expect(page.getByRole('switch', { name: 'Close to tray' })).toBeChecked()
  await closeWindow(desktop)
  await expect.poll(() => windows(desktop)).toEqual([false])
  await tray('Open Live events')
  await expect.poll(() => windows(desktop)).toEqual([true])
  await expect.poll(() => hash(page)).toBe('#/events')

  await expect.poll(labels).toContain('Pause sending')
  await tray('Pause sending')
  await expect.poll(labels).toContain('Resume sending')
  await page.evaluate(() => (location.hash = '#/outbox'))
  await expect(page.getByRole('button', { name: /resume/i }).first()).toBeVisible()
  await tray('Resume sending')
  await expect.poll(labels).toContain('Pause sending')
})

test('receives links and files as events on macOS', async ({ desktopKind, dataDir }) => {
  const file = join(dataDir, 'people.csv')
  writeFileSync(file, 'name,phone\nAda,+442079460000\n')
  const { desktop, page } = await sandbox(desktopKind)
  await desktop.main(({ app }) => {
    app.emit('open-url', { preventDefault() {} }, 'switchboard://outbox')
  })
  await expect.poll(() => hash(page)).toContain('#/outbox')
  await desktop.main(({ app }, path) => void app.emit('open-file', { preventDefault() {} }, path), file)
  await expect.poll(() => hash(page)).toContain('#/imports')
})

test('passes the link and file of a second start to the first', async ({ desktopKind, dataDir: files }) => {
  const {
    desktop: { dataDir },
    page,
  } = await sandbox(desktopKind)
  const link = 'switchboard://events?text=abc'
  expect(await runToEnd(desktopKind, { dataDir, args: [link] })).toMatchObject({ code: 0 })
  await expect.poll(() => hash(page)).toBe('#/events?text=abc')

  await runToEnd(desktopKind, { dataDir, args: ['switchboard://events?action=export'] })
  await expect(page.getByText('This switchboard: link')).toBeVisible()
  expect(await hash(page)).toBe('#/events?text=abc')

  const file = join(files, 'fair.csv')
  writeFileSync(file, 'name,mobile\nAda,+442079460018\n')
  await runToEnd(desktopKind, { dataDir, args: [file] })
  await expect(page.getByText('fair.csv').first()).toBeVisible()
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Import 1 contact' })).toBeVisible()
})

test('opens Settings and the logs folder from the menu without a connection', async ({ desktop }) => {
  const page = await desktop.window()
  await clickMenu(desktop, 'Settings…')
  await expect.poll(() => hash(page)).toBe('#/settings')
  await page.getByRole('link', { name: 'Back to sign-in' }).click()
  await desktop.main((electron) => {
    const { shell } = electron as typeof electron & Pick<typeof Electron.Common, 'shell'>
    const { openPath } = shell
    shell.openPath = (path) => {
      ;(globalThis as { opened?: string }).opened = path
      shell.openPath = openPath
      return Promise.resolve('')
    }
  })
  await clickMenu(desktop, 'Open logs folder')
  expect(await desktop.main(() => (globalThis as { opened?: string }).opened)).toBe(
    join(desktop.dataDir, 'logs'),
  )
})

test('hides reload and developer tools in a packaged app, and handles switchboard links', async ({
  startDesktop,
  desktopKind,
}) => {
  test.skip(desktopKind === 'real', 'needs a packaged app')
  const desktop = await startDesktop({ env: { SWITCHBOARD_DOUBLE_PACKAGED: '1' } })
  await desktop.window()
  const found = await desktop.main(({ app, Menu }) => ({
    roles: Menu.getApplicationMenu()!.items.flatMap(({ submenu }) =>
      (submenu?.items ?? []).map(({ role }) => String(role)),
    ),
    takesLinks: app.isDefaultProtocolClient('switchboard'),
  }))
  expect(found.roles).not.toContain('reload')
  expect(found.roles).not.toContain('toggleDevTools')
  expect(found.takesLinks).toBe(true)
})

test('opens the import for a file on the command line once connected', async ({ startDesktop, dataDir }) => {
  const file = join(dataDir, 'list.csv')
  writeFileSync(file, 'phone\n+442079460018\n')
  const desktop = await startDesktop({ dataDir: join(dataDir, 'profile'), args: [file] })
  const page = await desktop.window()
  await openSandbox(page)
  await expect(page.getByText('list.csv').first()).toBeVisible()
  await desktop.close()
})

test('asks before quitting while tasks run, only when the operator quits', async ({ startDesktop }) => {
  const desktop = await startDesktop()
  const page = await desktop.window()
  await openSandbox(page)
  await putClientInto(page)
  await page.evaluate(async () => void (await (await window.openRpc()).errorCodes.fill()))
  await answerWith(desktop, 1)
  await clickMenu(desktop, process.platform === 'darwin' ? 'Quit Switchboard' : 'Quit')
  await expect.poll(() => asked(desktop)).toEqual(['Quit Switchboard?'])
  expect(await detail(desktop)).toContain('1 task is running. Work continues')
  expect(await windows(desktop)).toEqual([true])
  desktop.signal('SIGTERM')
  expect(await desktop.exited).toBe(0)
})

test('asks before closing discards unsaved text', async ({ startDesktop }) => {
  const desktop = await startDesktop()
  const page = await desktop.window()
  await openSandbox(page)
  await typeContact(page)
  await answerWith(desktop, 1)
  await closeWindow(desktop)
  await expect.poll(() => asked(desktop)).toEqual(['Discard unsaved changes?'])
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Ada')
  expect(await windows(desktop)).toEqual([true])

  await answerWith(desktop, 0)
  await closeWindow(desktop)
  expect(await desktop.exited).toBe(0)
})

for (const [name, end] of [
  [
    'the end of a Windows session',
    ({ BrowserWindow }: typeof Electron.Main) =>
      void BrowserWindow.getAllWindows()[0]!.emit('session-end', { reasons: ['shutdown'] }),
  ],
  [
    'a shutdown of the computer',
    ({ powerMonitor }: typeof Electron.Main) => void powerMonitor.emit('shutdown', { preventDefault() {} }),
  ],
] as const) {
  test(`${name} stops in order without asking`, async ({ startDesktop }) => {
    const desktop = await startDesktop()
    const page = await desktop.window()
    await openSandbox(page)
    await typeContact(page)
    await answerWith(desktop, 1)
    await desktop.main(end)
    expect(await desktop.exited).toBe(0)
  })
}

test('keeps zoom and theme, and opens a link from the command line instead of the last page', async ({
  startDesktop,
  dataDir,
}) => {
  const first = await startDesktop({ dataDir })
  const page = await first.window()
  await openSandbox(page)
  await page.evaluate(() => (location.hash = '#/settings?section=appearance'))
  await page.getByText('Light', { exact: true }).click()
  const theme = (desktop: Desktop) => desktop.main(({ nativeTheme }) => nativeTheme.themeSource)
  await expect.poll(() => theme(first)).toBe('light')
  await first.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.setZoomLevel(1.5))
  await page.evaluate(() => (location.hash = '#/contacts'))
  await expect(page.getByRole('heading', { name: 'Contacts' })).toBeVisible()
  await first.close()

  const second = await startDesktop({ dataDir, args: ['switchboard://outbox'] })
  const opened = await second.window()
  await expect(opened.getByRole('heading', { name: 'Outbox' })).toBeVisible()
  expect(await hash(opened)).toBe('#/outbox')
  expect(await theme(second)).toBe('light')
  await expect
    .poll(() =>
      second.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.getZoomLevel()),
    )
    .toBe(1.5)
  await second.close()
})

test('shows menus in the language of the settings at once', async ({ startDesktop }) => {
  const desktop = await startDesktop({ args: ['--lang=es-MX'] })
  const page = await desktop.window()
  const menus = () =>
    desktop.main(({ Menu }) =>
      Menu.getApplicationMenu()!
        .items.map(({ label }) => label)
        .slice(-5),
    )
  expect(await menus()).toEqual(['Archivo', 'Edición', 'Ver', 'Ventana', 'Ayuda'])
  const popup = () =>
    desktop.main(({ BrowserWindow, Menu }) => {
      Menu.prototype.popup = function () {
        ;(globalThis as Kept).popup = this.items as never
      }
      const editFlags = { canCopy: true, canSelectAll: true }
      const params = { selectionText: '+442079460018', isEditable: false, frame: null, editFlags }
      BrowserWindow.getAllWindows()[0]!.webContents.emit('context-menu', {}, { ...params, x: 10, y: 10 })
      return (globalThis as Kept).popup!.map(({ label }) => label ?? '')
    })
  expect(await popup()).toEqual(['Buscar +442079460018', '', 'Copiar', 'Seleccionar todo'])
  await putClientInto(page)
  await page.evaluate(async () => {
    const { settings } = await window.openRpc()
    await settings.setAppearance({ theme: 'system', density: 'compact', language: 'en' })
  })
  await expect.poll(menus).toEqual(['File', 'Edit', 'View', 'Window', 'Help'])
  expect(await popup()).toEqual(['Look up +442079460018', '', 'Copy', 'Select all'])
})

test('quits with the last window, except on a Mac', async ({ startDesktop }) => {
  test.skip(process.platform === 'darwin', 'the application stays open on a Mac')
  const desktop = await startDesktop()
  await desktop.window()
  await desktop.main(({ app }) => void app.emit('window-all-closed'))
  expect(await desktop.exited).toBe(0)
})
