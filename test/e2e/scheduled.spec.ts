import type { Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { ago, hourMs, minuteMs } from '../helpers/scripted/broadcast.ts'
import { ordinaryOutbox, outboxCounts } from '../helpers/scripted/outbox.ts'
import {
  aReading,
  aScheduled,
  ordinaryScheduled,
  readingSteps,
  stepsOf,
} from '../helpers/scripted/scheduled.ts'
import { expect, expectAccessible, test } from './scripted-console.ts'

const table = (page: Page) => page.getByRole('grid', { name: 'Scheduled messages' })
const total = (page: Page) => page.getByTestId('scheduled-total')

test('counts down to the next message and filters overdue ones', async ({ page, core }) => {
  const items = [
    aScheduled({ id: 'next', toNumber: '+15550001', scheduledAt: ago(-10 * minuteMs) }),
    aScheduled({ id: 'later', toNumber: '+15550002', scheduledAt: ago(-3 * hourMs) }),
    aScheduled({ id: 'odd', toNumber: '+15550003', scheduledAt: ago(-4 * hourMs), status: 'in_queue' }),
    aScheduled({ id: 'late', toNumber: '+15550004', scheduledAt: ago(12 * minuteMs) }),
    aScheduled({ id: 'gone', toNumber: '+15550005', scheduledAt: ago(-5 * hourMs), status: 'canceled' }),
  ]
  const [batch] = ordinaryOutbox().batches
  const counts = outboxCounts({ scheduled: 5 })
  const waiting = { ...batch!, counts, startAt: ago(-hourMs) }
  core.change({
    scheduled: { read: () => stepsOf(readingSteps(items)) },
    outbox: { batches: () => ({ items: [waiting], nextCursor: null, counts }) },
  })
  await core.open('/scheduled')
  const later = page.getByRole('link', { name: '1 bulk send waits for its time in the Outbox' })
  await expect(later).toHaveAttribute('href', /outbox\?state=scheduled/)
  const rows = table(page).getByRole('row')
  await expect(rows).toHaveCount(4)
  await expect(rows.nth(1)).toContainText('+15550001')
  await expect(rows.nth(3)).toContainText('in_queue')
  const left = rows.nth(1).getByText(/^in 9 min/)
  const before = await left.textContent()
  await expect(left).not.toHaveText(before!)
  await page.getByRole('button', { name: 'Overdue 1' }).click()
  await expect(rows).toHaveCount(2)
  await expect(rows.nth(1)).toContainText('12 min')
  await expect(rows.nth(1)).toContainText('overdue')
  await page.getByRole('button', { name: 'Past 1', exact: true }).click()
  await expect(rows.nth(1)).toContainText('Cancelled')
  await expect(page.getByText('Create, change or cancel messages')).toBeVisible()
})

test('searches the list, filters it by day and hour, and exports it', async ({ page, core }) => {
  await core.open('/scheduled?which=all')
  await expect(total(page)).toHaveText('140 messages')
  await page.keyboard.press('/')
  await expect(page.getByLabel('Search number, sender or text')).toBeFocused()
  await page.keyboard.type('dagny')
  await expect(total(page)).toHaveText('35 of 140 shown')
  const day = page.getByRole('group', { name: 'Days' }).getByRole('button').nth(2)
  await day.click()
  await expect(page).toHaveURL(/day=\d{4}-\d\d-\d\d/)
  const ofDay = await table(page).getAttribute('aria-rowcount')
  expect(Number(ofDay)).toBeLessThan(36)
  await page
    .getByRole('group', { name: /^Hours of/ })
    .getByRole('button', { disabled: false })
    .first()
    .click()
  await expect(table(page).getByRole('row')).toHaveCount(2)
  await expectAccessible(page)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const text = await readFile((await (await download).path())!, 'utf8')
  expect(text.split('\r\n')).toHaveLength(2)
  await expect(page.getByText('1 message exported to scheduled.csv.')).toBeVisible()
  await page.locator('h1').click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/day=/)
})

test('says how much of a long list is loaded, and when it kept changing', async ({ page, core }) => {
  const items = ordinaryScheduled(250)
  let finish = () => {}
  core.change({
    scheduled: {
      read: async function* () {
        yield { kind: 'page', items: items.slice(0, 100), pagesDone: 1, pagesTotal: 3, total: 250, sweep: 1 }
        await new Promise<void>((resolve) => (finish = resolve))
        yield { kind: 'page', items: items.slice(100), pagesDone: 3, pagesTotal: 3, total: 250, sweep: 2 }
        yield { kind: 'done', reading: { ...aReading(items), state: 'moving' }, gone: [] }
      },
    },
  })
  await core.open('/scheduled?which=all')
  await expect(page.getByText('Loading page 1 of 3')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible()
  finish()
  await expect(page.getByText('some entries may be missing')).toBeVisible()
  await expect(total(page)).toHaveText('250 messages')
})
