import type { Locator, Page } from '@playwright/test'

export class OverviewPage {
  readonly page: Page
  readonly attention: Locator
  readonly health: Locator
  readonly gaps: Locator
  readonly chart: Locator
  readonly running: Locator

  constructor(page: Page) {
    this.page = page
    this.attention = page.getByRole('region', { name: 'Needs attention' })
    this.health = page.getByRole('region', { name: 'Health' })
    this.gaps = page.getByRole('region', { name: 'Gaps' })
    this.chart = page.getByRole('region', { name: 'Events, last 30 minutes' })
    this.running = page.getByRole('region', { name: 'Running campaigns' })
  }

  async open(url: string): Promise<void> {
    await this.page.goto(`${url}#/overview`)
  }

  figure(label: string): Locator {
    return this.page.getByRole('term').filter({ hasText: label }).locator('+ dd')
  }
}
