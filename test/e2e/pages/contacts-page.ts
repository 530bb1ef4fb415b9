import type { Locator, Page } from '@playwright/test'

export class ContactsPage {
  readonly page: Page
  readonly list: Locator
  readonly total: Locator
  readonly search: Locator
  readonly showAll: Locator
  readonly chosen: Locator
  readonly details: Locator
  readonly dialog: Locator

  constructor(page: Page) {
    this.page = page
    this.list = page.getByRole('grid', { name: 'Contacts' })
    this.total = page.getByTestId('contact-total')
    this.search = page.getByLabel('Search name, number, email or tag')
    this.showAll = page.getByRole('search').getByRole('button', { name: 'Clear filters', exact: true })
    this.chosen = page.getByRole('region', { name: 'Selected contacts' })
    this.details = page.getByRole('complementary', { name: 'Contact' })
    this.dialog = page.getByRole('dialog')
  }

  async open(url: string, query = ''): Promise<void> {
    await this.page.goto(`${url}#/contacts${query}`)
  }

  /** One of the rows in the document. */
  row(at: number): Locator {
    return this.rows().nth(at)
  }

  rows(): Locator {
    return this.list.locator('[role="rowgroup"]').nth(1).getByRole('row')
  }

  async ask(action: 'Push' | 'Tag' | 'Export' | 'Delete'): Promise<void> {
    await this.chosen.getByRole('button', { name: `${action}…` }).click()
  }

  confirm(action: 'Push' | 'Tag' | 'Export' | 'Delete'): Locator {
    return this.dialog.getByRole('button', { name: action, exact: true })
  }
}
