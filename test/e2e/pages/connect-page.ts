import type { Page } from '@playwright/test'

export function connectPage(page: Page) {
  const baseUrl = page.getByLabel('Base URL')
  const username = page.getByRole('textbox', { name: 'User name' })
  const password = page.getByLabel('Password', { exact: true })
  return {
    heading: page.getByRole('heading', { name: 'Connect to a service' }),
    baseUrl,
    username,
    password,
    apiKey: page.locator('#connect-apiKey'),
    plainHttpHost: page.getByLabel(/to allow http$/),
    sandbox: page.getByRole('button', { name: 'Open sandbox' }),
    saved: (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }),
    async fillPassword(...typed: [baseUrl: string, username: string, password: string]): Promise<void> {
      for (const [at, field] of [baseUrl, username, password].entries()) await field.fill(typed[at]!)
    },
    submit: () => page.getByRole('button', { name: /^(Connect|Sign in)$/ }).click(),
  }
}
