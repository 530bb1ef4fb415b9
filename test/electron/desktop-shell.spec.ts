import type { Page } from '@playwright/test'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Desktop, runToEnd } from './desktop.ts'
import { expect, openSandbox, sandboxOfFile, test } from './fixtures.ts'

/** What a test stores in the main process. */
interface Kept {
  asked?: { message: string }[]
  answer?: number
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

test('closes to the tray, whose menu and the window’s own reach the page and pause sending', async ({
  desktopKind,
  dataDir,
}) => {
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
  await clickMenu(desktop, 'About Switchboard')
  await expect.poll(() => hash(page)).toBe('#/settings?section=about')
  expect(
    await desktop.main(({ BrowserWindow, Menu }) => {
      let shown: string[] = []
      Menu.prototype.popup = function () {
        shown = this.items.map(({ label }) => label)
      }
      const params = { selectionText: '+442079460018', isEditable: false, frame: null, editFlags: {} }
      BrowserWindow.getAllWindows()[0]!.webContents.emit('context-menu', {}, { ...params, x: 10, y: 10 })
      return shown
    }),
  ).toContain('Look up +442079460018')

  await expect.poll(labels).toContain('Pause sending')
  await tray('Pause sending')
  await expect.poll(labels).toContain('Resume sending')
  await page.evaluate(() => (location.hash = '#/outbox'))
  await expect(page.getByRole('button', { name: /resume/i }).first()).toBeVisible()
  await tray('Resume sending')
  await expect.poll(labels).toContain('Pause sending')
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

test('keeps place, zoom, theme and what the page stores, and opens a link instead of the last page', async ({
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
  await first.main(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    window!.webContents.setZoomLevel(1.5)
    window!.setBounds({ x: 40, y: 50, width: 1_000, height: 700 })
  })
  await page.evaluate(() => localStorage.setItem('switchboard.region', 'DE'))
  await page.evaluate(() => (location.hash = '#/contacts'))
  await expect(page.getByRole('heading', { name: 'Contacts' })).toBeVisible()
  await first.close()
  expect(statSync(join(dataDir, 'window.json')).mode & 0o077).toBe(0)

  const second = await startDesktop({ dataDir, args: ['switchboard://outbox'] })
  const opened = await second.window()
  await expect(opened.getByRole('heading', { name: 'Outbox' })).toBeVisible()
  expect(await hash(opened)).toBe('#/outbox')
  expect(await theme(second)).toBe('light')
  expect(await opened.evaluate(() => localStorage.getItem('switchboard.region'))).toBe('DE')
  const bounds = await second.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.getNormalBounds())
  expect(bounds).toMatchObject({ width: 1_000, height: 700 })
  await expect
    .poll(() =>
      second.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.getZoomLevel()),
    )
    .toBe(1.5)
  await second.close()
})
