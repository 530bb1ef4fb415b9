import type { Page } from '@playwright/test'

/** Everything around a page: navigation, connection, banners, status bar, palette. */
export function shellPage(page: Page) {
  const banners = page.getByRole('region', { name: 'Alerts' }).getByRole('alert')
  return {
    navigation: page.getByRole('navigation', { name: 'Pages' }),
    status: page.getByRole('contentinfo', { name: 'Status' }),
    heading: page.getByRole('heading', { level: 1 }),
    dialog: page.getByRole('dialog'),
    /** A banner by its error code. */
    notice: (code: string) => banners.filter({ hasText: code }),
    /** Opens the bell. */
    async openNotifications() {
      await page.getByTestId('bell').click()
      return page.getByRole('region', { name: 'Notification list' })
    },
    openConnectionMenu: () => page.getByRole('button', { name: /^Connection/ }).click(),
    /** Selects a connection in the open menu. */
    chooseConnection: (name: string) => page.locator('[popover]').getByRole('button', { name }).click(),
    /** Opens the palette, types, and runs the first result. */
    async runCommand(typed: string): Promise<void> {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox', { name: 'Search', exact: true }).fill(typed)
      await page.keyboard.press('Enter')
    },
  }
}
