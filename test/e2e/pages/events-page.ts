import type { Page } from '@playwright/test'

export function eventsPage(page: Page) {
  const list = page.getByRole('grid', { name: 'Events, newest first' })
  /** Those in the document, without the header. */
  const rows = list.locator('[role="rowgroup"]').nth(1).getByRole('row')
  return {
    list,
    rows,
    row: (at: number) => rows.nth(at),
    activeRow: list.locator('[role="row"][aria-selected="true"]'),
    storedTotal: page.getByTestId('stored-total'),
    matchingTotal: page.getByTestId('matching-total'),
    details: page.getByRole('complementary', { name: 'Event details' }),
    newAbove: page.getByTestId('held-count'),
    /** Switches between live and paused. */
    view: (choice: 'Live' | 'Paused') =>
      page.getByRole('group', { name: 'View' }).getByRole('button', { name: choice }),
    openFilter: (name: string) => page.getByRole('search').getByRole('button', { name, exact: true }).click(),
    scrollTo: (topPx: number) => list.evaluate((element, top) => element.scrollTo({ top }), topPx),
    /** To the end of the loaded rows. */
    scrollToEnd: () => list.evaluate((element) => element.scrollTo({ top: element.scrollHeight })),
    /** Text of the topmost visible row, which may be below the document’s first row. */
    topRowText: () =>
      list.evaluate((element) => {
        const edge = element.getBoundingClientRect().top + 32
        const lines = [...element.querySelectorAll('[role="row"]')].slice(1)
        const first = lines
          .map((line) => ({ line, top: line.getBoundingClientRect().top }))
          .filter(({ top }) => top >= edge)
          .sort((a, b) => a.top - b.top)[0]
        return first?.line.textContent ?? ''
      }),
  }
}
