import type { Locator, Page } from '@playwright/test'

export class CampaignsPage {
  readonly page: Page
  readonly dialog: Locator
  readonly pageText: Locator

  constructor(page: Page) {
    this.page = page
    this.dialog = page.getByRole('dialog')
    this.pageText = page.getByTestId('page-text')
  }

  async open(url: string, query = ''): Promise<void> {
    await this.page.goto(`${url}#/campaigns${query}`)
  }

  /** The row of the campaign whose name begins with `name`. */
  row(name: string): Locator {
    return this.page.getByRole('row').filter({ hasText: name })
  }

  names(): Locator {
    return this.page.locator('[data-campaign] .name')
  }

  pauseButton(name: string): Locator {
    return this.page.getByRole('button', { name: `Pause ${name}` })
  }

  /** Confirms a pause, with the connection's name if it asks for one. */
  async confirmPause(typedName?: string): Promise<void> {
    if (typedName !== undefined) await this.dialog.getByRole('textbox').fill(typedName)
    await this.dialog.getByRole('button', { name: 'Pause campaign' }).click()
  }
}
