import type { Page } from '@playwright/test'

export function settingsPage(page: Page) {
  const dialog = page.getByRole('dialog')
  const block = (title: string) => page.getByRole('region', { name: title, exact: true })
  /** A button of the listener's own form. */
  const place = (name: string) => block('Listener').getByRole('button', { name, exact: true })
  return {
    dialog,
    block,
    place,
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    row: (text: string) => page.getByRole('row').filter({ hasText: text }),
    /** Moves the listener and confirms that subscriptions stay behind. */
    async move(): Promise<void> {
      await place('Apply').click()
      await dialog.getByRole('button', { name: 'Move' }).click()
    },
  }
}
