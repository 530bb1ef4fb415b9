import type { Page } from '@playwright/test'

export function campaignsPage(page: Page) {
  const dialog = page.getByRole('dialog')
  return {
    dialog,
    pageText: page.getByTestId('page-text'),
    names: page.locator('[data-campaign] .name'),
    /** The row of the campaign whose name begins with `name`. */
    row: (name: string) => page.getByRole('row').filter({ hasText: name }),
    pauseButton: (name: string) => page.getByRole('button', { name: `Pause ${name}` }),
    /** Confirms a pause, with the connection's name if it asks for one. */
    async confirmPause(typedName?: string): Promise<void> {
      if (typedName !== undefined) await dialog.getByRole('textbox').fill(typedName)
      await dialog.getByRole('button', { name: 'Pause campaign' }).click()
    },
  }
}
