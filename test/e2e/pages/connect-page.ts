import type { Locator, Page } from '@playwright/test'

export class ConnectPage {
  readonly page: Page
  readonly heading: Locator
  readonly baseUrl: Locator
  readonly username: Locator
  readonly password: Locator
  readonly apiKey: Locator
  readonly plainHttpHost: Locator
  readonly sandbox: Locator

  constructor(page: Page) {
    this.page = page
    this.heading = page.getByRole('heading', { name: 'Connect to a service' })
    this.baseUrl = page.getByLabel('Base URL')
    this.username = page.getByRole('textbox', { name: 'User name' })
    this.password = page.getByLabel('Password', { exact: true })
    this.apiKey = page.locator('#connect-apiKey')
    this.plainHttpHost = page.getByLabel(/to allow http$/)
    this.sandbox = page.getByRole('button', { name: 'Open sandbox' })
  }

  async open(url: string, query = ''): Promise<void> {
    await this.page.goto(`${url}#/connect${query}`)
  }

  async fillPassword(baseUrl: string, username: string, password: string): Promise<void> {
    await this.baseUrl.fill(baseUrl)
    await this.username.fill(username)
    await this.password.fill(password)
  }

  async submit(): Promise<void> {
    await this.page.getByRole('button', { name: /^(Connect|Sign in)$/ }).click()
  }

  saved(name: string): Locator {
    return this.page.getByRole('button', { name: new RegExp(`^${name}`) })
  }
}
