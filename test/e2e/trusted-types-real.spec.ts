import { expect, test } from '@playwright/test'
import { startConsole } from '../helpers/start-console.ts'

const paths = [
  'overview',
  'events',
  'inbox',
  'campaigns',
  'messages',
  'templates',
  'scheduled',
  'outbox',
  'contacts',
  'imports',
  'dnc',
  'analytics?range=yesterday',
  'analytics?tab=local&range=last7',
  'error-codes',
  'webhooks',
  'settings',
  'connect',
]

test('breaks no content policy on any page and never turns text into markup', async ({ page }) => {
  await using console = await startConsole({ sandbox: { ratePerSecond: 20 } })
  const violations: string[] = []
  await page.exposeFunction('noteViolation', (text: string) => violations.push(text))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { noteViolation } = window as unknown as { noteViolation(text: string): void }
      noteViolation(`${location.hash} ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`)
    })
  })
  await page.goto(console.url)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  for (const path of paths) {
    await page.goto(`${console.origin}/#/${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.waitForLoadState('networkidle')
    for (const chart of await page.locator('canvas').all()) if (await chart.isVisible()) await chart.hover()
  }
  expect(violations).toEqual([])

  const refused = await page.evaluate(() => {
    const element = document.createElement('div')
    element.innerHTML = ''
    try {
      element.innerHTML = '<b>text</b>'
      return false
    } catch {
      return element.childNodes.length === 0
    }
  })
  expect(refused).toBe(true)
})
