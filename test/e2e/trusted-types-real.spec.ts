import { expect } from '@playwright/test'
import { everyPage } from '../helpers/every-page.ts'
import { settled } from './every-place.ts'
import { realConsole } from './real-console.ts'

const test = realConsole({ ratePerSecond: 5 })

const places = [...everyPage, 'connect', 'analytics?range=yesterday', 'analytics?tab=local&range=last7']

test('breaks no content policy on any page and never turns text into markup', async ({ page, open }) => {
  const violations: string[] = []
  await page.exposeFunction('noteViolation', (text: string) => violations.push(text))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { noteViolation } = window as unknown as { noteViolation(text: string): void }
      noteViolation(`${location.hash} ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`)
    })
  })
  for (const path of places) {
    await open(`/${path}`)
    await settled(page)
    await page.waitForLoadState('networkidle')
    // Read at once: a chart may be replaced meanwhile.
    const centres = await page.locator('canvas').evaluateAll((charts) =>
      charts.map((chart) => {
        const { x, y, width, height } = chart.getBoundingClientRect()
        return { x: x + width / 2, y: y + height / 2 }
      }),
    )
    for (const { x, y } of centres) await page.mouse.move(x, y)
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
