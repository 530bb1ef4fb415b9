import { type Page, expect } from '@playwright/test'
import { test } from './kept-page.ts'

const origin = 'http://kept.example/'

async function open(page: Page): Promise<void> {
  await page.route(origin, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto(origin)
}

/** Messages to a listener of an earlier test. */
let heard = 0

async function store(page: Page): Promise<void> {
  await open(page)
  page.on('console', () => heard++)
  await page.evaluate(() => {
    localStorage.setItem('kept', '1')
    document.cookie = 'kept=1'
  })
}

/** What a test does to its page, and whether the next test gets the same one. */
const changes: [change: string, make: (page: Page) => unknown, isKept: boolean][] = [
  ['storage, a cookie, a route and a listener', store, true],
  ['a script before the page’s own', (page) => page.addInitScript('window.kept = 1'), false],
  ['a function', (page) => page.exposeFunction('kept', () => {}), false],
  ['a clock', (page) => page.clock.install({ time: 0 }), false],
  ['a closed page', (page) => page.close(), false],
]

for (const [change, make, isKept] of changes)
  test.describe(change, () => {
    let former: Page
    test('the first test leaves it', async ({ page }) => {
      await make(page)
      former = page
    })
    test(
      isKept ? 'the next test gets the same page, emptied' : 'the next test gets a new page',
      async ({ page }) => {
        expect(page === former).toBe(isKept)
        await expect(page.goto(origin)).rejects.toThrow()
        await open(page)
        await page.evaluate(() => console.info('kept'))
        expect(heard).toBe(0)
        const left = await page.evaluate(() => [
          localStorage.length,
          document.cookie,
          'kept' in window,
          Date.now() > 1e12,
        ])
        expect(left).toEqual([0, '', false, true])
      },
    )
  })
