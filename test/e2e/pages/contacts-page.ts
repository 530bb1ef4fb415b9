import type { Page } from '@playwright/test'

type Action = 'Push' | 'Tag' | 'Export' | 'Delete'

export function contactsPage(page: Page) {
  const list = page.getByRole('grid', { name: 'Contacts' })
  const chosen = page.getByRole('region', { name: 'Selected contacts' })
  const dialog = page.getByRole('dialog')
  /** Those in the document, without the header. */
  const rows = list.locator('[role="rowgroup"]').nth(1).getByRole('row')
  return {
    list,
    rows,
    row: (at: number) => rows.nth(at),
    total: page.getByTestId('contact-total'),
    search: page.getByLabel('Search name, number, email or tag'),
    showAll: page.getByRole('search').getByRole('button', { name: 'Clear filters', exact: true }),
    chosen,
    details: page.getByRole('complementary', { name: 'Contact' }),
    dialog,
    ask: (action: Action) => chosen.getByRole('button', { name: `${action}…` }).click(),
    confirm: (action: Action) => dialog.getByRole('button', { name: action, exact: true }),
  }
}
