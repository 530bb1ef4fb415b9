import type { Page } from '@playwright/test'
import { everyPage } from '../helpers/every-page.ts'
import { expect } from './scripted-console.ts'

/** Buttons that open something: menus, lists, and labels that end with an ellipsis because they ask first. In every language. */
const openers =
  'button[popovertarget]:enabled, [aria-haspopup]:not(input, [aria-disabled=true]), button:enabled:has-text("…")'
const layers = '[role=dialog], :popover-open, [role=listbox]'

/** Resolves when the page has drawn what it loaded. */
async function settled(page: Page): Promise<void> {
  await expect(page.locator('main h1')).toBeVisible()
  await expect(page.locator('[aria-busy=true], .skeleton')).toHaveCount(0)
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}

/** Opens every page and tab, its first row, its form and (with `opens`) what its buttons open, and calls `visit` at each place. */
export async function visitEveryPlace(
  page: Page,
  url: string,
  visit: (place: string) => Promise<void>,
  { opens = true } = {},
): Promise<void> {
  const opened = new Set<string>()
  const layer = page.locator(layers).filter({ visible: true })
  const links = page.locator('main nav a[href*="?"]')

  async function look(place: string): Promise<void> {
    await settled(page)
    await visit(place)
    if (!opens) return
    const buttons = page.locator(openers).filter({ visible: true })
    for (let at = 0; at < (await buttons.count()); at++) {
      const button = buttons.nth(at)
      const name = await button.evaluate((element) => element.ariaLabel ?? element.textContent)
      // Parts around the page are opened once.
      const isOfPage = await button.evaluate((element) => element.closest('main') !== null)
      const id = `${isOfPage ? place.split(/\W/)[0] : ''} ${name.replaceAll(/\d/g, '')}`
      if (opened.has(id)) continue
      opened.add(id)
      await button.press('Enter')
      await settled(page)
      await visit(`${place} > ${name}`)
      if ((await layer.count()) > 0) await page.keyboard.press('Escape')
      await expect(layer).toHaveCount(0)
    }
  }

  const waiting: string[] = [...everyPage]
  const known = new Set(waiting)
  for (const place of waiting) {
    await page.goto(`${url}#/${place}`)
    await look(place)
    for (const href of await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!))) {
      const tab = href.replace('#/', '')
      if (!known.has(tab)) waiting.push(tab)
      known.add(tab)
    }
    if ((await page.locator('main [role=grid] [role=row][aria-rowindex="2"]').count()) === 0) continue
    for (const keys of [['j', 'Enter'], ['x'], ['n']]) {
      await page.evaluate(() => (document.activeElement as HTMLElement).blur())
      for (const key of keys) await page.keyboard.press(key)
      await look(`${place}, ${keys.join(' ')}`)
    }
  }
}
