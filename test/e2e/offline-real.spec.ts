import { expect, type Page, test as base } from '@playwright/test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { taskEnd } from '../helpers/wait-for.ts'
import { type RunningConsole, startConsole } from '../helpers/start-console.ts'
import { contactsPage } from './pages/contacts-page.ts'
import { outboxPage } from './pages/outbox-page.ts'

/** A console on a folder that worked with a service, now unreachable from the start. `blocked` is on its offline DNC copy. */
const test = base.extend<object, { alone: RunningConsole & { blocked: string } }>({
  alone: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
    async ({}, use) => {
      const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-'))
      let baseUrl: string
      let blocked: string
      {
        await using before = await startConsole({ dataDir, sandbox: { ratePerSecond: 2 } })
        const { rpc } = before
        baseUrl = before.sandbox!.baseUrl
        await taskEnd(rpc, (await rpc.dnc.sync()).taskId)
        blocked = (await rpc.dnc.list({ which: 'all', limit: 1 })).items[0]!.phone!
        await taskEnd(rpc, (await rpc.errorCodes.fill()).taskId)
        await rpc.contacts.create({ name: 'Ada', phone: '+442079460018', email: '', tags: {} })
        await rpc.contacts.push({ selection: { filter: {}, exceptIds: [] } })
        for await (const { counts } of await rpc.outbox.watch()) if (counts.done === 1) break
      }
      try {
        const env = { SWITCHBOARD_BASE_URL: baseUrl, SWITCHBOARD_API_KEY: 'the same' }
        await using running = await startConsole({ dataDir, env })
        await use(Object.assign(running, { blocked }))
      } finally {
        rmSync(dataDir, { recursive: true, force: true })
      }
    },
    { scope: 'worker' },
  ],
})

/** Signs the browser in and checks that the shell reports the problem. */
async function enter(page: Page, console: RunningConsole): Promise<void> {
  const [name, value] = console.cookie.split(/=(.*)/s)
  await page.context().addCookies([{ name: name!, value: value!, url: console.origin }])
  await page.goto(`${console.origin}/#/overview`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  await page.goto(`${console.origin}/#/contacts`)
  await expect(page.getByText('Can’t reach').first()).toBeVisible()
  await expect(page.getByText('Service unreachable').first()).toBeVisible()
}

test('changes contacts, checks numbers and finds error codes without a network, and queues the push', async ({
  page,
  alone,
}) => {
  await enter(page, alone)
  const contacts = contactsPage(page)
  await expect(contacts.total).toHaveText('1 contact')
  await expect(contacts.row(0)).toContainText('On service')

  await page.goto(`${alone.origin}/#/imports`)
  await page.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      `name,phone\nZoë,+4915120000010\nListed,${alone.blocked}\nNobody,12\nZoë again,+4915120000010\n`,
    ),
  })
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: 'Import 2 contacts' }).click()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(
    '1 imported contact is on the DNC list',
  )
  const rows = page.getByRole('grid', { name: 'Rows of people.csv with problems' })
  await expect(rows.getByRole('row')).toHaveCount(3)
  await expect(page.getByText('2 rows.').first()).toBeVisible()

  await page.goto(`${alone.origin}/#/contacts`)
  await expect(contacts.total).toHaveText('3 contacts')
  await contacts.search.fill('zoe')
  await expect(contacts.total).toHaveText('1 of 3 contacts')
  await contacts.list.getByLabel('Select all matching').click()
  await contacts.ask('Push')
  await contacts.confirm('Push').click()
  await expect(contacts.row(0)).toContainText('Queued')

  const outbox = outboxPage(page)
  await page.goto(`${alone.origin}/#/outbox`)
  await expect(outbox.sending).toContainText('Queued requests continue automatically')
  await expect(outbox.row(0)).toContainText('Queued')
  await expect(outbox.chip('Queued')).toContainText('1')
  await expect(outbox.chip('In flight')).not.toContainText(/\d/)

  await page.goto(`${alone.origin}/#/dnc`)
  const copy = page.getByRole('region', { name: 'Offline copy' })
  await expect(copy).toContainText(/Synced .* ago/)
  await expect(page.getByTestId('dnc-total')).toHaveText('250 entries')

  await page.goto(`${alone.origin}/#/dnc?tab=check`)
  await page.getByLabel('Number', { exact: true }).fill(alone.blocked)
  await page.keyboard.press('Enter')
  const here = page.getByRole('status', { name: 'Offline copy' })
  await expect(here).toContainText('Blocked')
  await expect(here).toContainText('ago')
  const there = page.getByRole('status', { name: 'Service (live)' })
  await expect(there.getByRole('button', { name: 'Retry' })).toBeVisible()
  await expect(there).not.toContainText('Clear')

  await page.goto(`${alone.origin}/#/error-codes`)
  await expect(page.getByTestId('codes-total')).toHaveText(/^([5-9]|\d\d+) codes$/)
  await expect(page.getByRole('main')).toContainText(/Updated .* · oldest/)
  await page.getByLabel('Search code or description').fill('unreachable')
  await expect(page.getByRole('grid', { name: 'Error codes' })).toContainText(/unreachable/i)

  await page.goto(`${alone.origin}/#/dnc`)
  await page.getByRole('button', { name: 'Sync now' }).click()
  await page.getByTestId('tasks').click()
  await expect(page.getByRole('region', { name: 'Tasks' })).toContainText(/DNC sync/)
})
