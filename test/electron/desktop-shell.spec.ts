import type { Page } from '@playwright/test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Desktop, runToEnd } from './desktop.ts'
import { expect, openSandbox, test } from './fixtures.ts'
import { putClientInto } from './page-client.ts'

/** What a test stores in the main process. */
interface Kept {
  asked?: string[]
  answer?: number
  trayMenu?: { label?: string; click?: () => void }[]
}

const hash = (page: Page) => page.evaluate(() => location.hash)

/** Answers every later message box with the button `answer`, and records it. */
const answerWith = (desktop: Desktop, answer: number) =>
  desktop.main(({ dialog }, response) => {
    const kept = globalThis as Kept
    kept.asked = []
    dialog.showMessageBox = (...args: unknown[]) => {
      kept.asked!.push((args.at(-1) as { message: string }).message)
      return Promise.resolve({ response, checkboxChecked: false })
    }
  }, answer)
const asked = (desktop: Desktop) => desktop.main(() => (globalThis as Kept).asked!)

const closeWindow = (desktop: Desktop) =>
  desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close())
const isShown = (desktop: Desktop) =>
  desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.isVisible())

const logOf = (dataDir: string) => readFileSync(join(dataDir, 'logs', 'main.log'), 'utf8')

/** Starts the console again on the profile of one that runs. The double has no lock, so there the first is only told. */
async function startAgain(desktop: Desktop, args: string[]): Promise<void> {
  if (desktop.kind === 'real')
    expect(await runToEnd('real', { dataDir: desktop.dataDir, args })).toMatchObject({ code: 0 })
  else
    await desktop.main(({ app }, data) => void app.emit('second-instance', {}, [], '', data), {
      args,
      cwd: process.cwd(),
    })
}

test('lets a second start, tray, menu, power and language reach the page', async ({
  startDesktop,
  dataDir: files,
}) => {
  const desktop = await startDesktop()
  const page = await desktop.window()
  await desktop.main(({ Tray }) => {
    const { setContextMenu } = Tray.prototype
    Tray.prototype.setContextMenu = function (menu) {
      ;(globalThis as Kept).trayMenu = menu!.items as never
      setContextMenu.call(this, menu)
    }
  })
  await openSandbox(page)
  const tray = () => desktop.main(() => (globalThis as Kept).trayMenu?.map(({ label }) => label ?? ''))
  const choose = (label: string) =>
    desktop.main(
      (_electron, wanted) => (globalThis as Kept).trayMenu!.find((item) => item.label === wanted)!.click!(),
      label,
    )
  await test.step('shows the window on a second start, and passes on its link or file', async () => {
    await desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.minimize())
    await startAgain(desktop, ['switchboard://events?text=abc'])
    await expect.poll(() => hash(page)).toBe('#/events?text=abc')
    expect(
      await desktop.main(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().map((each) => each.isMinimized()),
      ),
    ).toEqual([false])
    await startAgain(desktop, ['switchboard://events?action=export'])
    await expect(page.getByText('This switchboard: link')).toBeVisible()
    expect(await hash(page)).toBe('#/events?text=abc')
    const file = join(files, 'fair.csv')
    writeFileSync(file, 'name,mobile\nAda,+442079460018\n')
    await startAgain(desktop, [file])
    await expect(page.getByText('fair.csv').first()).toBeVisible()
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Import 1 contact' })).toBeVisible()
  })
  await test.step('closes to the tray, which opens the window at a page', async () => {
    // A session with a tray: its bus is asked through this tool.
    writeFileSync(join(files, 'gdbus'), '#!/bin/sh\necho "(<true>,)"\n', { mode: 0o755 })
    await desktop.main((_electron, folder) => {
      process.env['PATH'] = `${folder}:${process.env['PATH']}`
    }, files)
    await page.evaluate(() => (location.hash = '#/settings?section=desktop'))
    await page.getByRole('switch', { name: 'Close to tray' }).click()
    await expect(page.getByRole('switch', { name: 'Close to tray' })).toBeChecked()
    await closeWindow(desktop)
    await expect.poll(() => isShown(desktop)).toBe(false)
    await choose('Open Live events')
    await expect.poll(() => isShown(desktop)).toBe(true)
    await expect.poll(() => hash(page)).toBe('#/events')
  })
  await test.step('pauses sending from the tray', async () => {
    await expect.poll(tray).toContain('Pause sending')
    await choose('Pause sending')
    await expect.poll(tray).toContain('Resume sending')
    await page.evaluate(() => (location.hash = '#/outbox'))
    await expect(page.getByRole('button', { name: /resume/i }).first()).toBeVisible()
  })
  await test.step('opens a page from the application menu', async () => {
    await desktop.main(({ Menu }) =>
      Menu.getApplicationMenu()!
        .items.flatMap(({ submenu }) => submenu?.items ?? [])
        .find(({ label }) => label === 'About Switchboard')!
        .click(),
    )
    await expect.poll(() => hash(page)).toBe('#/settings?section=about')
  })
  await test.step('shows a menu for a selected number', async () => {
    const shown = await desktop.main(({ BrowserWindow, Menu }) => {
      let labels: string[] = []
      Menu.prototype.popup = function () {
        labels = this.items.map(({ label }) => label)
      }
      const selected = { selectionText: '+442079460018', isEditable: false, editFlags: {}, x: 10, y: 10 }
      BrowserWindow.getAllWindows()[0]!.webContents.emit('context-menu', {}, selected)
      return labels
    })
    expect(shown).toContain('Look up +442079460018')
  })
  await test.step('loads a page again whose process ended', async () => {
    await page.evaluate(() => Object.assign(window, { isOld: true }))
    await desktop.main(({ BrowserWindow }) => {
      const gone = { reason: 'crashed', exitCode: 1 }
      BrowserWindow.getAllWindows()[0]!.webContents.emit('render-process-gone', {}, gone)
    })
    await expect.poll(() => page.evaluate(() => 'isOld' in window).catch(() => true)).toBe(false)
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  })
  await putClientInto(page)
  await test.step('records sleep as a gap that ends on wake', async () => {
    const gaps = () =>
      page.evaluate(async () => {
        const { gaps } = await (await window.openRpc()).events.gaps({ days: 1 })
        return gaps.map(({ to, reason }) => ({ reason, isOver: to !== null }))
      })
    for (const [event, isOver] of [
      ['suspend', false],
      ['resume', true],
    ] as const) {
      await desktop.main(({ powerMonitor }, name) => void powerMonitor.emit(name), event)
      await expect.poll(gaps).toEqual([{ reason: 'suspended', isOver }])
    }
  })
  await test.step('changes the language of tray and menu', async () => {
    await page.evaluate(async () => {
      const { settings } = await window.openRpc()
      await settings.setAppearance({ theme: 'light', density: 'compact', language: 'es' })
    })
    await expect.poll(tray).toContain('Salir de Switchboard')
    expect(
      await desktop.main(({ Menu, nativeTheme }) => [
        Menu.getApplicationMenu()!.items.at(-1)!.label,
        nativeTheme.themeSource,
      ]),
    ).toEqual(['Ayuda', 'light'])
  })
})

test('asks before closing discards unsaved text, then ends with everything it started', async ({
  startDesktop,
  dataDir,
}) => {
  const desktop = await startDesktop({ dataDir })
  const page = await desktop.window()
  await openSandbox(page)
  // The desktop answers the page’s question; without this Playwright would.
  page.on('dialog', () => {})
  await page.evaluate(() => (location.hash = '#/contacts'))
  await page.getByRole('button', { name: 'New contact' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada')
  await answerWith(desktop, 1)
  await closeWindow(desktop)
  await expect.poll(() => asked(desktop)).toEqual(['Discard unsaved changes?'])
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Ada')
  expect(await isShown(desktop)).toBe(true)

  await answerWith(desktop, 0)
  await closeWindow(desktop)
  expect(await desktop.exited).toBe(0)
  expect(statSync(join(dataDir, 'logs', 'main.log')).mode & 0o077).toBe(0)
  // The keychain’s process is killed at the end, which is expected.
  expect(logOf(dataDir)).not.toContain('A desktop process ended')
})

test('keeps place, zoom and stored settings over a signal, opens a link first, and ends after an error', async ({
  startDesktop,
  dataDir,
}) => {
  const first = await startDesktop({ dataDir })
  const page = await first.window()
  await openSandbox(page)
  await first.main(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    window!.webContents.setZoomLevel(1.5)
    window!.setBounds({ x: 40, y: 50, width: 1_000, height: 700 })
  })
  await page.evaluate(() => localStorage.setItem('switchboard.region', 'DE'))
  // A terminal’s Ctrl-C arrives twice: from the terminal, and from the program that started the console.
  for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGTERM'] as const) first.signal(signal)
  expect(await first.exited).toBe(0)
  expect(logOf(dataDir)).toContain('Stopped')
  expect(statSync(join(dataDir, 'window.json')).mode & 0o077).toBe(0)

  const second = await startDesktop({ dataDir, args: ['switchboard://outbox'] })
  const opened = await second.window()
  await expect(opened.getByRole('heading', { name: 'Outbox' })).toBeVisible()
  expect(await hash(opened)).toBe('#/outbox')
  expect(await opened.evaluate(() => localStorage.getItem('switchboard.region'))).toBe('DE')
  await expect
    .poll(() =>
      second.main(({ BrowserWindow }) => {
        const [window] = BrowserWindow.getAllWindows()
        return { ...window!.getNormalBounds(), zoom: window!.webContents.getZoomLevel() }
      }),
    )
    .toMatchObject({ width: 1_000, height: 700, zoom: 1.5 })
  await second.main(({ dialog }) => {
    dialog.showMessageBox = () => Promise.resolve({ response: 1, checkboxChecked: false })
    setTimeout(() => {
      throw new Error('thrown by a test')
    }, 0)
  })
  expect(await second.exited).toBe(1)
})
