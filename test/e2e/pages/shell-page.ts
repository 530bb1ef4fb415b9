import type { Locator, Page } from '@playwright/test'

/** Everything around a page: navigation, connection, banners, status bar, palette. */
export class ShellPage {
  readonly page: Page
  readonly navigation: Locator
  readonly status: Locator
  readonly heading: Locator
  readonly dialog: Locator

  constructor(page: Page) {
    this.page = page
    this.navigation = page.getByRole('navigation', { name: 'Pages' })
    this.status = page.getByRole('contentinfo', { name: 'Status' })
    this.heading = page.getByRole('heading', { level: 1 })
    this.dialog = page.getByRole('dialog')
  }

  async open(url: string, path = '/overview'): Promise<void> {
    await this.page.goto(`${url}#${path}`)
  }

  /** A banner by its error code. */
  notice(code: string): Locator {
    return this.page.getByRole('region', { name: 'Alerts' }).getByRole('alert').filter({ hasText: code })
  }

  /** Opens the bell. */
  async openNotifications(): Promise<Locator> {
    await this.page.getByTestId('bell').click()
    return this.page.getByRole('region', { name: 'Notification list' })
  }

  async openConnectionMenu(): Promise<void> {
    await this.page.getByRole('button', { name: /^Connection/ }).click()
  }

  /** Selects a connection in the open menu. */
  async chooseConnection(name: string): Promise<void> {
    await this.page.locator('[popover]').getByRole('button', { name }).click()
  }

  /** Opens the palette, types, and runs the first result. */
  async runCommand(typed: string): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+k')
    await this.page.getByRole('combobox', { name: 'Search', exact: true }).fill(typed)
    await this.page.keyboard.press('Enter')
  }
}
