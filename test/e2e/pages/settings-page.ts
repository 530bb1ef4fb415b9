import type { Locator, Page } from '@playwright/test'

export type SettingsSection =
  'connections' | 'notifications' | 'listener' | 'numbers' | 'events' | 'field-names' | 'appearance' | 'about'

export class SettingsPage {
  readonly page: Page
  readonly dialog: Locator

  constructor(page: Page) {
    this.page = page
    this.dialog = page.getByRole('dialog')
  }

  async open(url: string, section: SettingsSection): Promise<void> {
    await this.page.goto(`${url}#/settings?section=${section}`)
  }

  block(title: string): Locator {
    return this.page.getByRole('region', { name: title, exact: true })
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true })
  }

  /** A button of the listener's own form. */
  place(name: string): Locator {
    return this.block('Listener').getByRole('button', { name, exact: true })
  }

  /** Moves the listener and confirms that subscriptions stay behind. */
  async move(): Promise<void> {
    await this.place('Apply').click()
    await this.dialog.getByRole('button', { name: 'Move' }).click()
  }

  row(text: string): Locator {
    return this.page.getByRole('row').filter({ hasText: text })
  }
}
