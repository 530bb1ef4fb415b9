import type { Locator, Page } from '@playwright/test'

export class OutboxPage {
  readonly page: Page
  readonly list: Locator
  readonly sending: Locator
  readonly batches: Locator
  readonly selected: Locator
  readonly details: Locator
  readonly dialog: Locator
  readonly total: Locator

  constructor(page: Page) {
    this.page = page
    this.list = page.getByRole('grid', { name: 'Outbox requests' })
    this.sending = page.getByRole('region', { name: 'Sending' })
    this.batches = page.getByRole('region', { name: 'Batches' })
    this.selected = page.getByRole('region', { name: 'Selected requests' })
    this.details = page.getByRole('complementary', { name: 'Request', exact: true })
    this.dialog = page.getByRole('dialog')
    this.total = page.getByTestId('outbox-total')
  }

  async open(url: string, query = ''): Promise<void> {
    await this.page.goto(`${url}#/outbox${query}`)
  }

  row(at: number): Locator {
    return this.list.locator('[role="rowgroup"]').nth(1).getByRole('row').nth(at)
  }

  chip(state: string): Locator {
    return this.page
      .getByRole('group', { name: 'Status' })
      .getByRole('button', { name: new RegExp(`^${state}\\b`) })
  }
}
