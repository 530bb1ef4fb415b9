import type { Page } from '@playwright/test'
import { everyPage } from '../helpers/every-page.ts'
import { type AccessibilityScope, expect } from './scripted-console.ts'

/** Buttons that open something: menus, lists, and labels that end with an ellipsis because they ask first. In every language. */
const openers =
  'button[popovertarget]:enabled, [aria-haspopup]:not(input, [aria-disabled=true]), button:enabled:has-text("…")'
const layers = '[role=dialog], :popover-open, [role=listbox]'
/** What a button opened, and the button. Not a list of options: see `accessibilityFaults`. Its colours are those of the page, and `unit/renderer/shared/theme` proves the contrast of all. */
const opened = { within: '[role=dialog], :popover-open, :focus, h1', colours: 'shown' } as const
/** All but what is around the page, in the scheme on show: the first place of a page is looked at in both. */
const inPage = { within: `main, ${layers}`, colours: 'shown' } as const

/** A button that asks has asked by then. */
const layerMs = 2_000

/** Resolves when the page has drawn what it loaded. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator('main h1')).toBeVisible()
  await expect(page.locator('[aria-busy=true], .skeleton')).toHaveCount(0)
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}

/** Opens a page and its tabs, the first row, the form and what buttons open, and calls `visit` at each place that looks new. */
export async function visitEveryPlace(
  page: Page,
  { url, path }: { url: string; path: string },
  visit: (place: string, scope: AccessibilityScope) => Promise<void>,
): Promise<void> {
  const pressed = new Set<string>()
  const looks = new Set<string>()
  const main = page.locator('main')
  const layer = page.locator(layers).filter({ visible: true })
  const links = page.locator('main nav a[href*="?"]')
  // What is around the page opens the same on every page.
  const around = path === everyPage[0] ? page : main

  async function look(place: string): Promise<void> {
    await settled(page)
    const now = (await main.innerText()).replaceAll(/\d/g, '')
    if (looks.has(now)) return
    await visit(place, looks.size === 0 ? {} : inPage)
    looks.add(now)
    const buttons = around.locator(openers).filter({ visible: true })
    for (let at = 0; at < (await buttons.count()); at++) {
      const button = buttons.nth(at)
      const name = await button.evaluate((element) => element.ariaLabel ?? element.textContent)
      const id = name.replaceAll(/\d/g, '')
      if (pressed.has(id)) continue
      pressed.add(id)
      await button.press('Enter')
      // Its dialog may open only once its page has loaded.
      if (id.includes('…'))
        await layer
          .first()
          .waitFor({ timeout: layerMs })
          .catch(() => {})
      await settled(page)
      await visit(`${place} > ${name}`, (await layer.count()) > 0 ? opened : inPage)
      if ((await layer.count()) > 0) await page.keyboard.press('Escape')
      await expect(layer).toHaveCount(0)
      // It may have led to another page, which has its own walk.
      if (new URL(page.url()).hash.split('?')[0] === `#/${path}`) continue
      await page.goto(`${url}#/${place.split(',')[0]!}`)
      await settled(page)
    }
  }

  const waiting = [path]
  for (const place of waiting) {
    await page.goto(`${url}#/${place}`)
    await look(place)
    for (const href of await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!))) {
      const tab = href.replace('#/', '')
      if (tab.startsWith(`${path}?`) && !waiting.includes(tab)) waiting.push(tab)
    }
    if ((await page.locator('main [role=grid] [role=row][aria-rowindex="2"]').count()) === 0) continue
    for (const keys of [['j', 'Enter'], ['x'], ['n']]) {
      await page.evaluate(() => (document.activeElement as HTMLElement).blur())
      for (const key of keys) await page.keyboard.press(key)
      await look(`${place}, ${keys.join(' ')}`)
    }
  }
}
