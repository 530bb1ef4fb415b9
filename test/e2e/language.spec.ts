import type { Page } from '@playwright/test'
import { expect, inputOf, test } from './scripted-console.ts'

const html = (page: Page) => page.locator('html')

test('switches texts, dates and numbers between Spanish and English in Settings', async ({ page, core }) => {
  await core.open('/settings?section=appearance')
  const overview = page.locator('nav a[href="#/overview"]')
  await expect(overview).toContainText('Overview')

  await page.getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: 'Español' }).click()
  await expect(html(page)).toHaveAttribute('lang', 'es')
  await expect(overview).toContainText('Resumen')
  expect(inputOf(core, 'settings.setAppearance')).toMatchObject({ language: 'es' })
  await core.open('/contacts')
  await expect(page.getByText('1.000.000').first()).toBeVisible()
  await core.open('/scheduled')
  const date = page.locator('main time[title$=UTC]').filter({ hasText: /^\d/ }).first()
  await expect(date).toHaveText(/^\d\d [a-z]{3,4}, \d\d:\d\d/)

  await core.open('/settings?section=appearance')
  await page.getByRole('combobox').filter({ hasText: 'Español' }).click()
  await page.getByRole('option', { name: 'English' }).click()
  await expect(html(page)).toHaveAttribute('lang', 'en')
  await expect(overview).toContainText('Overview')
  await core.open('/contacts')
  await expect(page.getByText('1,000,000').first()).toBeVisible()
  await core.open('/scheduled')
  await expect(date).toHaveText(/^\d\d [A-Z][a-z]{2,3}, \d\d:\d\d/)
})

test('shows the chosen language at the next start before the core responds', async ({ page, core }) => {
  core.change({
    settings: { getAppearance: () => ({ theme: 'light', density: 'compact', language: 'es' }) },
  })
  await page.goto(core.url)
  await expect(html(page)).toHaveAttribute('lang', 'es')
  core.change({ settings: { getAppearance: () => new Promise<never>(() => {}) } })
  const english: string[] = []
  page.on('request', (request) => {
    if (/\.en-/.test(request.url())) english.push(request.url())
  })
  await page.reload()
  await expect(page.locator('nav a[href="#/overview"]')).toContainText('Resumen')
  await expect(html(page)).toHaveAttribute('data-scheme', 'light')
  expect(english).toEqual([])
})

test.describe('on a Spanish system', () => {
  test.use({ locale: 'es-MX' })

  test('starts in Spanish until another language is chosen', async ({ page, core }) => {
    await page.goto(core.url)
    await expect(html(page)).toHaveAttribute('lang', 'es')
    await expect(page.locator('nav a[href="#/contacts"]')).toContainText('Contactos')
  })
})
