import { type BrowserContext, type Page, test as base } from '@playwright/test'

interface Kept {
  context: BrowserContext
  page: Page
  /** What can't change in an open context, as JSON. */
  options: string
  /** Emptying can’t undo what a test did, so the next one gets a new context. */
  isSpent: boolean
}

/** Notes what stays in a page when it is emptied. */
function watchLastingChanges(kept: Kept): void {
  const { context, page } = kept
  const spending = <F extends (...given: never[]) => unknown>(change: F) =>
    ((...given) => {
      kept.isSpent = true
      return change(...given)
    }) as F
  page.addInitScript = spending(page.addInitScript.bind(page))
  page.exposeFunction = spending(page.exposeFunction.bind(page))
  context.clock.install = spending(context.clock.install.bind(context.clock))
}

/** Leaves the document of the test before, and removes its listeners, routes and storage. */
async function empty({ context, page }: Kept): Promise<void> {
  page.removeAllListeners()
  await page.unrouteAll()
  for (const popup of context.pages().slice(1)) await popup.close()
  const { origin } = new URL(page.url())
  await page.goto('about:blank')
  const devtools = await context.newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await devtools.detach()
  await context.clearCookies()
  await context.clearPermissions()
  await page.mouse.move(-1, -1)
}

/**
 * One browser page per worker, emptied between tests. Playwright’s `reuseContext` would also drop the cached and compiled code, a third of a test’s time.
 * After a failure Playwright starts a new worker, so nothing of a failed test stays.
 */
export const test = base.extend<object, { keeper: { kept: Kept | null } }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
  keeper: [async ({}, use) => use({ kept: null }), { scope: 'worker' }],
  context: async ({ browser, keeper, locale, timezoneId, permissions, hasTouch, isMobile, offline }, use) => {
    const options = JSON.stringify([locale, timezoneId, permissions, hasTouch, isMobile, offline])
    let { kept } = keeper
    if (kept && (kept.isSpent || kept.page.isClosed() || kept.options !== options)) {
      await kept.context.close()
      kept = null
    }
    if (kept) await empty(kept)
    else {
      const context = await browser.newContext()
      kept = { context, page: await context.newPage(), options, isSpent: false }
      watchLastingChanges(kept)
    }
    keeper.kept = kept
    await use(kept.context)
  },
  page: async ({ context, viewport, colorScheme, contextOptions }, use) => {
    const [page] = context.pages()
    await page!.setViewportSize(viewport!)
    await page!.emulateMedia({ colorScheme, reducedMotion: contextOptions.reducedMotion ?? null })
    await use(page!)
  },
})
