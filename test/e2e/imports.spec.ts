import { readFile } from 'node:fs/promises'
import { noCounts } from '#electron/jobs/imports/judge-rows.ts'
import { anImport } from '../helpers/scripted/imports.ts'
import { aTask } from '../helpers/scripted/tasks.ts'
import { expect, expectAccessible, inputOf, inputsOf, type OpenCore, test } from './scripted-console.ts'
import type { Page } from '@playwright/test'

const people = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('Name;Mobile\nAda;0171\n') }

const columnsOf = (page: Page) => page.getByRole('table', { name: 'Columns' })

async function openWith(page: Page, core: OpenCore): Promise<void> {
  await core.open('/imports')
  await page.locator('input[type=file]').setInputFiles(people)
  await expect(columnsOf(page)).toContainText('Ada')
}

async function choose(page: Page, box: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: box }).click()
  // A long list draws only some of its options.
  await page.keyboard.type(option)
  await page.getByRole('option', { name: option, exact: true }).click()
  await expect(page.getByRole('option')).toHaveCount(0)
}

const mapColumn = (page: Page, column: string, target: string) => choose(page, `Map column ${column}`, target)

const check = (page: Page) => page.getByRole('button', { name: 'Check', exact: true })
const result = (page: Page) => page.getByRole('region', { name: 'Result' })

test('imports a file in three accessible steps', async ({ page, core }) => {
  const reading = { region: 'CH', hasCountryCodes: false }
  const columns = [{ to: 'note' }, { to: 'phone' }, { to: 'email' }, { to: 'ignore' }] as const
  core.extend('imports.inspect', { consent: [3], former: { columns: [...columns], reading } })
  await openWith(page, core)
  await expect(page.getByText('Column City may say who agreed to be contacted.')).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Map column Name' })).toContainText('Note')
  await page.getByRole('button', { name: 'Start over' }).click()
  await expect(page.getByRole('combobox', { name: 'Map column Name' })).toContainText('Full name')
  await expect(page.getByText('2 rows have fewer cells than the header.')).toBeVisible()
  await expect(
    page.getByText(
      'Numbers without + are read as national numbers (Germany). 912 of 1,000 checked numbers fit.',
    ),
  ).toBeVisible()
  await expectAccessible(page)
  await check(page).click()
  await expect(page.getByText('909 of 1,000 rows will be imported.')).toBeVisible()
  await expect(page.getByText('40 have no name.')).toBeVisible()
  const short = page.locator('[data-problem="number-short"]')
  await expect(short).toContainText('Number too short')
  await expect(short).toContainText('Fix in the file')
  await expect(short).toContainText('Rejected')
  await short.getByRole('button', { name: '28 Number too short' }).click()
  const rows = page.getByRole('grid', { name: 'Rows: Number too short' })
  await expect(rows.getByRole('row').nth(1)).toContainText('8')
  await expect(page.getByText('First 1 of 28. Row numbers include the header.')).toBeVisible()
  await page.getByText('Preview new contacts').click()
  await expect(page.getByRole('grid', { name: 'Rows of new contacts' })).toContainText('+442079460000')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Import 909 contacts' }).click()
  await expect(page).toHaveURL(/import=i-2/)
  await expect(result(page)).toContainText('New 812')
})

test('shows errors at their fields; takes the number from several columns', async ({ page, core }) => {
  await openWith(page, core)
  await page.getByLabel('Add tags to all contacts').fill('=fair')
  await expect(page.getByRole('alert')).toContainText('Enter a key before each “=”.')
  await expect(check(page)).toBeDisabled()
  await page.getByLabel('Add tags to all contacts').fill('vip|test, year=2026')
  await expect(page.getByText('3 tags: vip · test · year=2026')).toBeVisible()
  await mapColumn(page, 'Mobile', 'Don’t import')
  await expect(page.getByRole('alert')).toContainText('Select the number column.')
  await expect(check(page)).toBeDisabled()
  await mapColumn(page, 'Mobile', 'Number')
  await mapColumn(page, 'E-mail', 'Number')
  await expect(page.getByText('Number: Tried in this order: Mobile → E-mail')).toBeVisible()
  await page.getByRole('textbox', { name: 'Tag key for column City' }).fill('')
  await expect(page.getByRole('alert')).toContainText('Enter a key.')
  await page.getByRole('textbox', { name: 'Tag key for column City' }).fill('town')
  await check(page).click()
  await page.getByRole('button', { name: 'Import 909 contacts' }).click()
  await expect(result(page)).toContainText('New 812')
  expect(inputsOf(core, 'imports.start')).toMatchObject([
    {
      choices: {
        extraTags: { vip: '', test: '', year: '2026' },
        columns: [
          { to: 'name' },
          { to: 'phone', rank: 1 },
          { to: 'phone', rank: 2 },
          { to: 'tag', tagKey: 'town' },
        ],
      },
    },
  ])
})

test('starts a file that only puts numbers on hold', async ({ page, core }) => {
  const counts = { ...noCounts(), rows: 2, duplicateInContacts: 2 }
  core.extend('imports.preview', { counts, toHold: 1 })
  await openWith(page, core)
  await check(page).click()
  await page.getByRole('button', { name: 'Put 1 number on hold' }).click()
  await expect(page).toHaveURL(/import=/)
})

test('says why an import failed and what it imported, and shows the contacts that an undone one kept', async ({
  page,
  core,
}) => {
  const problem = { code: 'DISK_FULL', acted: 'no' as const, data: {} }
  const failed = anImport({ id: 'i-1', state: 'failed', taskId: null, problem })
  core.change({ imports: { get: () => failed } })
  await core.open('/imports?import=i-1')
  await expect(result(page)).toContainText('Failed')
  await expect(result(page)).toContainText('906 contacts imported')
  await expect(result(page)).toContainText('The disk is full.')
  core.restore('imports.get')
  await core.open('/imports?import=i-none')
  await expect(page.getByRole('alert')).toContainText('NOT_FOUND')
  await page.getByRole('button', { name: 'Import another file' }).click()
  await expect(page.getByRole('button', { name: 'Choose a file' })).toBeVisible()
  await page.getByRole('button', { name: 'Undo import of autumn-contacts.csv' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('Acme production')
  await page.getByRole('button', { name: 'Undo import', exact: true }).click()
  await expect.poll(() => inputOf(core, 'imports.undo')).toMatchObject({ importId: 'i-1' })

  const undone = { state: 'undone', canUndo: false, taskId: null } as const
  core.change({
    imports: {
      get: ({ importId }) => anImport({ id: importId, ...undone, keptAny: importId === 'i-kept' }),
    },
  })
  await core.open('/imports?import=i-gone')
  await expect(result(page)).toContainText('Undone')
  await expect(page.getByRole('button', { name: 'View kept contacts' })).toHaveCount(0)
  await core.open('/imports?import=i-kept')
  await page.getByRole('button', { name: 'View kept contacts' }).click()
  await expect(page).toHaveURL(/#\/contacts\?import=i-kept/)
})

test('shows the rows with one reason, and downloads them', async ({ page, core }) => {
  await core.open('/imports?import=i-1')
  const chips = page.getByRole('group', { name: 'Reason' }).getByRole('button')
  await expect(chips).toHaveText([
    'All 74',
    'Number too short 28',
    'Invalid email 3',
    'Duplicate in file 31',
    'Blocked 12',
  ])
  const rows = page.getByRole('grid', { name: 'Rows of autumn-contacts.csv with problems' })
  await expect(rows).toContainText('Invalid number')
  await chips.nth(3).click()
  await expect(rows).not.toContainText('Invalid number')
  await expect(rows).toContainText('Duplicate of an earlier row.')
  await expect(page.getByText('31 rows. Row numbers include the header.')).toBeVisible()
  await chips.nth(4).click()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rows).toContainText('Invalid number')
  await expect(result(page)).toContainText('1,000 rows · 31 duplicates in the file')
  await expect(result(page)).toContainText('9 imported contacts are on the DNC list or on hold.')
  for (const [label, which] of [
    ['Download 31 rejected rows', 'invalid'],
    ['Download all 74', 'all'],
  ] as const) {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: label }).click()
    expect(await readFile((await (await download).path())!, 'utf8')).toContain('Ada')
    expect(inputOf(core, 'imports.exportRejected')).toMatchObject({ rows: which })
  }
})

test('lists rows not imported while the import runs, and counts on', async ({ page, core }) => {
  const become = (state: 'running' | 'done') =>
    core.day.tasks.put(
      aTask({
        id: 't-slow',
        kind: 'import',
        state,
        refId: 'i-slow',
        counts: { rows: 900, new: 600, invalid: 74 },
      }),
    )
  become('running')
  const slow = { id: 'i-slow', state: 'running', taskId: 't-slow', counts: noCounts() } as const
  core.change({ imports: { get: () => anImport(slow) } })
  await core.open('/imports?import=i-slow')
  const report = page.getByRole('region', { name: 'Rows with problems' })
  await expect(report).toContainText('74 rows.')
  await expect(report.getByRole('button', { name: 'Refresh' })).toBeVisible()
  await expect(report.getByRole('button', { name: /^Download/ })).toHaveCount(0)
  await expect(result(page).getByRole('progressbar')).toBeVisible()
  // The record is read again after its task.
  become('done')
  await expect(result(page).getByRole('progressbar')).toHaveCount(0)
  await expect(result(page)).toContainText('New 600')
})
