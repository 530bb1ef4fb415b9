import { ordinaryErrorCodes } from '../helpers/scripted/error-codes.ts'
import { eventsPage } from './pages/events-page.ts'
import { expect, inputsOf, test } from './scripted-console.ts'

test('keeps an unsaved note over a restart, asks the service on request, and marks a doubtful answer', async ({
  page,
  core,
}) => {
  await core.open('/error-codes?code=4')
  await page.getByLabel(/^Note/).fill('Ask policy')
  await page.reload()
  await expect(page.getByLabel(/^Note/)).toHaveValue('Ask policy')
  await page.getByRole('button', { name: 'Save note' }).click()
  await expect(page.getByRole('button', { name: 'Save note' })).toHaveCount(0)
  expect(inputsOf(core, 'errorCodes.setNote')).toEqual([{ code: '4', note: 'Ask policy' }])
  await page.keyboard.press('Escape')

  const data = { host: 'api.messaging.example', detail: 'no network' }
  const answer = {
    added: 0,
    unreadable: 0,
    ignoredText: false,
    problem: null,
    asOf: new Date().toISOString(),
  }
  core.change({
    errorCodes: {
      searchOnline: () => ({
        ...answer,
        items: [],
        problem: { code: 'SERVICE_UNREACHABLE', acted: 'no', data },
      }),
    },
  })
  await page.getByLabel('Search code or description').fill('xyz')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('Can’t reach')
  core.change({
    errorCodes: {
      searchOnline: () => ({ ...answer, items: ordinaryErrorCodes(), added: 3, ignoredText: true }),
    },
  })
  await page.getByLabel('Search code or description').press('Enter')
  await expect(page.getByText('7 codes found, 3 new.')).toBeVisible()
  await expect(page.getByText('The service seems to ignore the search text')).toBeVisible()
})

test('opens a code’s card from an event, and its page from the card', async ({ page, core }) => {
  const events = eventsPage(page)
  await core.open('/events')
  await events.list
    .getByRole('button', { name: /^Code 2/ })
    .first()
    .click()
  const card = page.getByRole('article', { name: 'Error code 2' })
  await expect(card).toContainText('Destination unreachable')
  await expect(events.activeRow).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(card).toHaveCount(0)
  await events.row(3).click({ position: { x: 20, y: 10 } })
  await events.details
    .getByRole('button', { name: /^Code 2/ })
    .first()
    .press('Enter')
  await expect(card).toBeVisible()
  await page.getByRole('link', { name: 'Open in Error codes' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Error codes')
  await expect(card).toContainText('Seen 48,213 times')
})
