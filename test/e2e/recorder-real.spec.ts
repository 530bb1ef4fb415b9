import { test as base, expect } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { type RunningConsole, startConsole } from '../helpers/start-console.ts'
import { EventsPage } from './pages/events-page.ts'

/** The real console before a real browser, with a service that delivers. */
const test = base.extend<{ console: RunningConsole }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
  console: async ({}, use) => {
    await using running = await startConsole({ sandbox: { ratePerSecond: 20 } })
    await use(running)
  },
})

test('what arrived is replayed while more arrives, written as a signed file, and checked', async ({
  page,
  console,
}) => {
  const events = new EventsPage(page)
  await page.goto(console.url)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  await page.goto(`${console.origin}/#/events`)
  const stored = async () => Number((await events.storedTotal.textContent())?.replace(/[^\d]/g, ''))
  await expect.poll(stored).toBeGreaterThan(20)
  await page.getByRole('button', { name: 'Replay…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Speed').selectOption('as fast as it goes')
  await dialog.getByRole('button', { name: 'Start the replay' }).click()
  const banner = page.getByTestId('replay-banner')
  await expect(banner).toContainText('at its end')
  const allShown = async () => {
    const [, count, total] =
      /^([\d,]+) of ([\d,]+) events$/.exec((await events.storedTotal.textContent()) ?? '') ?? []
    return count !== undefined && count === total
  }
  await expect.poll(allShown).toBe(true)

  const list = page.getByRole('grid', { name: 'Replayed events, newest first' })
  const line = page.getByLabel('Time line of the replay')
  await line.press('Home')
  await expect(page.getByText('No event of the span had arrived at this time.')).toBeVisible()
  await page.getByRole('button', { name: 'Step' }).click()
  await expect(events.storedTotal).toHaveText(/^1 of [\d,]+ events$/)
  await list.getByRole('row').nth(1).click()
  await expect(events.details).toContainText('Signed: the signature over the body is right.')
  await page.keyboard.press('Escape')

  await page.goto(`${console.origin}/#/campaigns`)
  await page.reload()
  await expect(banner).toContainText('paused at')
  const before = (await console.rpc.events.search({ filter: {}, limit: 1 })).storedTotal
  await expect
    .poll(async () => (await console.rpc.events.search({ filter: {}, limit: 1 })).storedTotal)
    .toBeGreaterThan(before)
  await banner.getByRole('link', { name: 'Show it' }).click()
  await expect(events.storedTotal).toHaveText(/^1 of [\d,]+ events$/)
  await banner.getByRole('button', { name: 'Stop the replay' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Live events')
  await expect.poll(stored).toBeGreaterThan(before)

  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'A span, as a signed file…' }).click()
  await dialog.getByRole('button', { name: 'Write the file' }).click()
  await expect(dialog).toContainText('The key of this console was made.')
  await dialog.getByRole('button', { name: 'Close' }).click()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the file' }).click()
  const file = await readFile((await (await saved).path())!)

  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Check a signed file…' }).click()
  const verdict = page.getByRole('region', { name: 'Verdict' })
  const give = (buffer: Buffer) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'recording.ndjson', mimeType: 'text/plain', buffer })
  await give(file)
  await expect(verdict).toContainText('Whole, and signed by this console')
  const changed = Buffer.from(file)
  changed[changed.indexOf('"kind":"dlr"') + 9]! ^= 1
  await give(changed)
  await expect(verdict).toContainText('does not hold')
})
