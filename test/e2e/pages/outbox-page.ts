import type { Page } from '@playwright/test'

export function outboxPage(page: Page) {
  const list = page.getByRole('grid', { name: 'Outbox requests' })
  const states = page.getByRole('group', { name: 'Status' })
  return {
    list,
    row: (at: number) => list.locator('[role="rowgroup"]').nth(1).getByRole('row').nth(at),
    total: page.getByTestId('outbox-total'),
    chip: (state: string) => states.getByRole('button', { name: new RegExp(`^${state}\\b`) }),
    sending: page.getByRole('region', { name: 'Sending' }),
    batches: page.getByRole('region', { name: 'Batches' }),
    selected: page.getByRole('region', { name: 'Selected requests' }),
    details: page.getByRole('complementary', { name: 'Request', exact: true }),
    dialog: page.getByRole('dialog'),
  }
}
