import type { Locator, Page } from '@playwright/test'

export class EventsPage {
  readonly page: Page
  readonly storedTotal: Locator
  readonly matchingTotal: Locator
  readonly list: Locator
  readonly details: Locator
  readonly newAbove: Locator

  constructor(page: Page) {
    this.page = page
    this.storedTotal = page.getByTestId('stored-total')
    this.matchingTotal = page.getByTestId('matching-total')
    this.list = page.getByRole('grid', { name: 'Events, newest first' })
    this.details = page.getByRole('complementary', { name: 'Event details' })
    this.newAbove = page.getByTestId('held-count')
  }

  /** Opens the page of a console at `url`, with an address query such as `?status=failed`. */
  async open(url: string, query = ''): Promise<void> {
    await this.page.goto(`${url}#/events${query}`)
  }

  /** Switches between live and paused. */
  view(choice: 'Live' | 'Paused'): Locator {
    return this.page.getByRole('group', { name: 'View' }).getByRole('button', { name: choice })
  }

  /** Opens a filter’s menu. */
  async openFilter(name: string): Promise<void> {
    await this.page.getByRole('search').getByRole('button', { name, exact: true }).click()
  }

  /** Rows in the document, without the header. */
  rows(): Locator {
    return this.list.locator('[role="rowgroup"]').nth(1).getByRole('row')
  }

  /** The row `at` rows below the first one in the document. */
  row(at: number): Locator {
    return this.rows().nth(at)
  }

  /** The active row. */
  activeRow(): Locator {
    return this.list.locator('[role="row"][aria-selected="true"]')
  }

  async scrollTo(topPx: number): Promise<void> {
    await this.list.evaluate((element, top) => element.scrollTo({ top }), topPx)
  }

  /** Scrolls to the end of the loaded rows. */
  async scrollToEnd(): Promise<void> {
    await this.list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  }

  /** Text of the topmost visible row, which may be below the document’s first row. */
  async topRowText(): Promise<string> {
    return await this.list.evaluate((element) => {
      const edge = element.getBoundingClientRect().top + 32
      const lines = [...element.querySelectorAll('[role="row"]')].slice(1)
      const first = lines
        .map((line) => ({ line, top: line.getBoundingClientRect().top }))
        .filter(({ top }) => top >= edge)
        .sort((a, b) => a.top - b.top)[0]
      return first?.line.textContent ?? ''
    })
  }
}
