import { AppError } from '#contract/errors.ts'
import { viewOf } from '#electron/core/platform/rpc/errors.ts'
import type { Download, Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { expect, expectAccessible, inputsOf, test } from './scripted-console.ts'

const open = (page: Page, url: string, query = '') => page.goto(`${url}#/dnc${query}`)
const copy = (page: Page) => page.getByRole('region', { name: 'Offline copy' })
const entries = (page: Page) => page.getByRole('grid', { name: 'DNC list entries' })
const textOf = async (download: Download) => await readFile((await download.path())!, 'utf8')

test('shows the copy’s age, and removals as loud as additions', async ({ page, scripted }) => {
  const core = await scripted()
  await open(page, core.url)
  await expect(copy(page)).toContainText('Synced 2 h ago')
  const added = page.getByRole('button', { name: '14 added' })
  const removed = page.getByRole('button', { name: '5 removed' })
  const lookOf = (button: typeof added) =>
    button.evaluate((element) => {
      const { color, backgroundColor, fontSize } = getComputedStyle(element)
      return { color, backgroundColor, fontSize }
    })
  expect(await lookOf(removed)).toEqual(await lookOf(added))
  await removed.click()
  await expect(page.getByTestId('dnc-total')).toHaveText('5 entries')
  await expect(entries(page)).toContainText('Removed')
})

test('calls no number clear from a copy that is not up to date', async ({ page, scripted }) => {
  const core = await scripted()
  await open(page, core.url, '?tab=check')
  for (const [state, words] of [
    ['never', 'No number counts as clear'],
    ['stale', 'No number counts as clear until you sync'],
    ['partial', 'Last sync incomplete'],
  ] as const) {
    core.day.dnc.setCache({ state, ...(state === 'never' ? { asOf: null } : {}) })
    await expect(copy(page)).toContainText(words)
    await page.getByLabel('Number', { exact: true }).fill('+491719999999')
    await page.keyboard.press('Enter')
    const offline = page.getByRole('status', { name: 'Offline copy' })
    await expect(offline).toContainText('Unknown')
    await expect(offline).not.toContainText('Clear')
    await expect(page.getByRole('status', { name: 'Service (live)' })).toContainText('Unverified')
    await page.getByLabel('Number', { exact: true }).fill('')
    await expect(offline).toHaveCount(0)
  }
})

test('checks a number offline and at the service, but never an invalid one', async ({ page, scripted }) => {
  const core = await scripted()
  await open(page, core.url, '?tab=check')
  await expect(page.getByLabel('Number', { exact: true })).toBeVisible()
  await page.keyboard.press('/')
  await expect(page.getByLabel('Number', { exact: true })).toBeFocused()
  await page.keyboard.type('+491710000037')
  await page.keyboard.press('Enter')
  const offline = page.getByRole('status', { name: 'Offline copy' })
  const online = page.getByRole('status', { name: 'Service (live)' })
  await expect(offline).toContainText('Blocked')
  await expect(offline).toContainText('Opt-out')
  await expect(offline).toContainText('Synced 2 h ago')
  await expect(online).toContainText('Blocked')
  await page.getByLabel('Number', { exact: true }).fill('12')
  await expect(offline).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(offline).toContainText('Invalid')
  expect(inputsOf(core, 'dnc.checkOnline')).toHaveLength(1)
})

test('keeps the offline answer and says why the service’s is missing', async ({ page, scripted }) => {
  const core = await scripted({
    dnc: {
      checkOnline: () => {
        throw new AppError('SERVICE_UNREACHABLE', { host: 'api.messaging.example', detail: 'no network' })
      },
    },
  })
  await open(page, core.url, '?tab=check')
  await page.getByLabel('Number', { exact: true }).fill('+491719999999')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status', { name: 'Offline copy' })).toContainText('Clear')
  const online = page.getByRole('status', { name: 'Service (live)' })
  await expect(online).toContainText('Can’t reach api.messaging.example')
  await expect(online).not.toContainText('Clear')
  // The banner below every page says it, so the page does not repeat it.
  const problem = viewOf(
    new AppError('SERVICE_UNREACHABLE', { host: 'api.messaging.example', detail: 'no network' }),
  )
  core.setStatus({ network: { reachable: false, lastAnswerAt: null, problem } })
  await expect(online).toContainText('Service unavailable. See the banner below.')
  await expect(page.getByRole('alert').filter({ hasText: 'SERVICE_UNREACHABLE' })).toHaveCount(1)
})

test('uploads a file, lets you choose its column, and saves its three results', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await open(page, core.url, '?tab=check')
  const content = `name;mobile\n${'Ada;+442079460000\n'.repeat(120_000)}`
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a file' }).click()
  await (await chooser).setFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(content) })
  await expect(page.getByRole('region', { name: 'First rows of the file' })).toContainText('mobile')
  expect(core.day.files.textOf('file-5')).toBe(content)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Check list' }).click()
  await expect(page.locator('[data-check="check-2"]')).toContainText('3 rows')
  expect(inputsOf(core, 'dnc.checkFile')).toEqual([
    {
      name: 'list.csv',
      source: { fileId: 'file-5', column: 1, headerRow: 1 },
      region: 'DE',
      hasCountryCodes: false,
    },
  ])
  for (const [label, name] of [
    ['Clear', 'partner-list-2 clear.csv'],
    ['Blocked', 'partner-list-2 blocked.csv'],
    ['Invalid', 'partner-list-2 unparsable.csv'],
  ] as const) {
    const download = page.waitForEvent('download')
    await page
      .locator('[data-check="check-1"]')
      .getByRole('button', { name: `Save ${label}` })
      .click()
    const saved = await download
    expect(saved.suggestedFilename()).toBe(name)
    expect(await textOf(saved)).toMatch(/^phone\r\n/)
  }
})

test('checks a pasted list', async ({ page, scripted }) => {
  const core = await scripted()
  await open(page, core.url, '?tab=check')
  await page.getByRole('button', { name: 'Paste' }).click()
  await page.getByLabel('Numbers, one per line').fill('+491\n\n0171 2\n')
  await expect(page.getByText('2 lines')).toBeVisible()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByRole('combobox', { name: 'Numbers without +' }).click()
  await page.keyboard.type('Austria')
  await page.getByRole('option', { name: 'Austria (AT)' }).click()
  await page.getByRole('button', { name: 'Check list' }).click()
  await expect
    .poll(() => inputsOf(core, 'dnc.checkFile'))
    .toEqual([
      {
        name: 'Pasted list, 2 numbers',
        source: { text: '+491\n0171 2' },
        region: 'AT',
        hasCountryCodes: false,
      },
    ])
})

test('saves a list that can’t be called clear as unknown', async ({ page, scripted }) => {
  const core = await scripted()
  const run = {
    id: 'check-9',
    name: 'old.csv',
    state: 'done' as const,
    taskId: null,
    counts: {
      rows: 10,
      clear: 0,
      blocked: 2,
      notKnown: 8,
      maybeListed: 0,
      unparsable: 0,
      readableTwoWays: 2,
    },
    region: 'DE',
    hasCountryCodes: false,
    cacheAsOf: new Date(Date.now() - 9 * 86_400_000).toISOString(),
    problem: null,
    createdAt: new Date().toISOString(),
    files: { clear: 'file-clear', blocked: 'file-blocked', unknown: null, unparsable: 'file-unparsable' },
  }
  core.change({ dnc: { checkRuns: () => ({ items: [run], nextCursor: null }) } })
  await open(page, core.url, '?tab=check')
  const row = page.locator('[data-check="check-9"]')
  await expect(row).toContainText('8 are unknown, not clear')
  await expect(row).toContainText('2 numbers can be read in two ways. Both were checked.')
  await expect(row.getByRole('button', { name: /^Save Unknown: 8/ })).toBeVisible()
  await expect(row.getByRole('button', { name: /^Save Clear/ })).toHaveCount(0)
})

test('searches entries while typing and checks one by keyboard', async ({ page, scripted }) => {
  const core = await scripted()
  await open(page, core.url)
  await expect(entries(page)).toBeVisible()
  await page.keyboard.press('/')
  await expect(page.getByLabel('Search entries')).toBeFocused()
  await page.keyboard.type('710000370')
  await expect(page.getByTestId('dnc-total')).toHaveText('1 entry')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'DNC entry' })).toContainText('+491710000370')
  await page.keyboard.press('c')
  await expect(page.getByRole('status', { name: 'Offline copy' })).toContainText('+491710000370')
  await page.keyboard.press('Escape')
})

test('adds a hold, exports it and removes it after a question', async ({ page, scripted }) => {
  const core = await scripted()
  await open(page, core.url, '?tab=holds')
  await page.getByLabel('Number to hold').fill('+491519876543')
  await page.getByLabel('Reason').fill('asked at the desk')
  await page.keyboard.press('Enter')
  const row = page.getByRole('row').filter({ hasText: '+491519876543' })
  await expect(row).toContainText('asked at the desk')
  await expect(row).toContainText('Not yet')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export new holds' }).click()
  expect((await download).suggestedFilename()).toBe('hand-off.csv')
  await expect(row).toContainText('just now')
  await page.getByRole('button', { name: 'Remove hold on +491519876543' }).click()
  await expect(page.getByRole('dialog')).toContainText('can contact it again')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove hold' }).click()
  await expect(row).toHaveCount(0)
  await page.getByRole('button', { name: 'Ended' }).click()
  await expect(row).toContainText('Removed')
})

test('saves edited opt-out keywords', async ({ page, scripted }) => {
  const core = await scripted()
  await open(page, core.url, '?tab=keywords')
  const field = page.getByLabel('Opt-out keywords, one per line')
  await expect(field).toHaveValue(/^STOP\n/)
  await field.fill('STOP\nSTOPP\nstop')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Changes saved.')).toBeVisible()
  expect(inputsOf(core, 'dnc.setOptOutKeywords')).toEqual([{ words: ['STOP', 'STOPP'] }])
})
