import type { Locator, Page } from '@playwright/test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Desktop } from './desktop.ts'
import { expect, test } from './fixtures.ts'

declare global {
  interface Window {
    /** Set by the test; missing after the page was replaced. */
    mark?: string
  }
}

/** What a test counts in the main process. */
interface Seen {
  opened: string[]
  saved: string[]
}

/** The marked page, with every exit counted in the main process. */
async function guarded(desktop: Desktop): Promise<Page> {
  const page = await desktop.window()
  await page.getByRole('button', { name: /open sandbox/i }).waitFor()
  await page.evaluate(() => {
    window.mark = 'here'
    const link = Object.assign(document.createElement('a'), {
      href: 'https://example.org/',
      id: 'way-out',
      textContent: 'Way out',
    })
    link.style.cssText =
      'position:fixed;inset:0 auto auto 0;z-index:99999;width:80px;height:40px;background:white'
    document.body.append(link)
  })
  await desktop.main((electron) => {
    // Part of the main process’s module, but only of the common types.
    const { shell, session } = electron as typeof electron & Pick<typeof Electron.Common, 'shell'>
    const seen = globalThis as unknown as Seen
    seen.opened = []
    seen.saved = []
    shell.openExternal = (url) => {
      seen.opened.push(url)
      return Promise.resolve()
    }
    session
      .fromPartition('persist:console')
      .on('will-download', (event) => seen.saved.push(event.defaultPrevented ? 'cancelled' : 'saved'))
  })
  return page
}

/** Fails unless the same page is in the only window and nothing was opened outside. */
async function expectInPlace(desktop: Desktop, page: Page): Promise<void> {
  expect(await page.evaluate(() => [location.origin, window.mark])).toEqual([desktop.pageOrigin, 'here'])
  const state = await desktop.main(({ BrowserWindow }) => ({
    windows: BrowserWindow.getAllWindows().length,
    url: BrowserWindow.getAllWindows()[0]!.webContents.getURL().replace(/#.*/, ''),
    opened: (globalThis as unknown as Seen).opened,
  }))
  expect(state).toEqual({ windows: 1, url: 'app://console/', opened: [] })
  // The browser reports a closed page a moment later.
  await expect.poll(() => page.context().pages().length).toBe(1)
}

/** After two round trips, everything begun before has been decided. */
async function settle(desktop: Desktop, page: Page): Promise<void> {
  await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))))
  await desktop.main(() => null)
  await page.evaluate(() => null)
}

async function dropFile(page: Page, folder: string): Promise<void> {
  const file = join(folder, 'dropped.html')
  writeFileSync(file, '<title>dropped</title>')
  const debug = await page.context().newCDPSession(page)
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await debug.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
}

/** What a page could do to leave. Each runs in the page. */
const ofPage: Record<string, () => void> = {
  'another site': () => (location.href = 'https://example.org/'),
  http: () => location.assign('http://127.0.0.1:1/'),
  'a file': () => (location.href = 'file:///etc/passwd'),
  'another file of the console': () => (location.href = '/icon.svg'),
  'another host of the scheme': () => (location.href = location.href.replace('console', 'other')),
  'a data address': () => (location.href = 'data:text/html,x'),
  'a script address': () => (location.href = 'javascript:document.body.remove()'),
  'an unknown scheme': () => (location.href = 'mailto:someone@example.org'),
  'a reload by the page': () => location.reload(),
  'a form': () => {
    const form = Object.assign(document.createElement('form'), {
      action: 'https://example.org/',
      method: 'post',
    })
    document.body.append(form)
    form.submit()
  },
  'a refresh': () => {
    const meta = { httpEquiv: 'refresh', content: '0;url=https://example.org/' }
    document.head.append(Object.assign(document.createElement('meta'), meta))
  },
  'a new window': () => window.open('https://example.org/'),
  'a new empty window': () => window.open('about:blank'),
  'a new window without opener': () => window.open('https://example.org/', '_blank', 'noopener,width=200'),
  'a frame': () =>
    document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://example.org/' })),
  'a webview': () => {
    const view = document.createElement('webview')
    view.setAttribute('src', 'https://example.org/')
    document.body.append(view)
  },
}

/** Clicks on a link to another site. */
const clicks: Record<string, Parameters<Locator['click']>[0]> = {
  'a link': {},
  'a middle click': { button: 'middle' },
  'a control click': { modifiers: ['Control'] },
  'a shift click': { modifiers: ['Shift'] },
}

test('keeps the window on its page, for every action of page and pointer', async ({ desktop }) => {
  const page = await guarded(desktop)
  const stays = (name: string, attempt: () => Promise<unknown>) =>
    test.step(name, async () => {
      await attempt()
      await settle(desktop, page)
      await expectInPlace(desktop, page)
    })
  const link = page.locator('#way-out')
  for (const [name, attempt] of Object.entries(ofPage)) await stays(name, () => page.evaluate(attempt))
  for (const [name, options] of Object.entries(clicks)) await stays(name, () => link.click(options))
  await link.evaluate((element) => element.setAttribute('target', '_blank'))
  await stays('a link to a new tab', () => link.click())
  await stays('a dropped file', () => dropFile(page, desktop.dataDir))
  if (desktop.kind === 'double') return
  await stays('a download of what it did not generate', () =>
    page.evaluate(() =>
      Object.assign(document.createElement('a'), { href: 'data:text/csv,a', download: 'a.csv' }).click(),
    ),
  )
  await expect.poll(() => desktop.main(() => (globalThis as unknown as Seen).saved)).toEqual(['cancelled'])
})

test('saves every byte of what the page generated', async ({ startDesktop, dataDir, desktopKind }) => {
  test.skip(desktopKind === 'double', 'needs Electron')
  const desktop = await startDesktop()
  const page = await desktop.window()
  const target = join(dataDir, 'saved.csv')
  await desktop.main(({ session }, path) => {
    session.fromPartition('persist:console').on('will-download', (_event, item) => {
      item.setSavePath(path)
      item.once('done', (_done, state) => ((globalThis as { saved?: string }).saved = state))
    })
  }, target)
  await page.evaluate(() => {
    const href = URL.createObjectURL(new Blob(['number\n', '4915112345678\n'.repeat(100_000)]))
    Object.assign(document.createElement('a'), { href, download: 'numbers.csv' }).click()
  })
  await expect.poll(() => desktop.main(() => (globalThis as { saved?: string }).saved)).toBe('completed')
  expect(readFileSync(target, 'utf8')).toHaveLength(7 + 14 * 100_000)
})
