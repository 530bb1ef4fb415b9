import type { Page } from '@playwright/test'

export function overviewPage(page: Page) {
  const panel = (name: string) => page.getByRole('region', { name })
  return {
    attention: panel('Needs attention'),
    health: panel('Health'),
    gaps: panel('Gaps'),
    chart: panel('Events, last 30 minutes'),
    running: panel('Running campaigns'),
    figure: (label: string) => page.getByRole('term').filter({ hasText: label }).locator('+ dd'),
  }
}
