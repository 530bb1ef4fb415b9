import { readFile } from 'node:fs/promises'
import type { ImportCounts, ImportRecord, ImportRow } from '#contract/imports.ts'
import type { Task } from '#contract/tasks.ts'
import { AppError } from '#contract/errors.ts'
import type { ScriptedCore } from '../helpers/scripted-core.ts'
import { anImport } from '../helpers/scripted/imports.ts'
import { aTask } from '../helpers/scripted/tasks.ts'
import { expect, expectAccessible, test } from './scripted-console.ts'
import type { Page } from '@playwright/test'

const inputsOf = (core: ScriptedCore, name: string) =>
  core.calls.filter((call) => call.name === name).map(({ input }) => input)

const noCounts: ImportCounts = {
  rows: 0,
  new: 0,
  update: 0,
  unchanged: 0,
  duplicateInFile: 0,
  duplicateInBook: 0,
  dnc: 0,
  invalid: 0,
  marked: 0,
  partial: 0,
  nameless: 0,
  readableTwoWays: 0,
}

const people = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('Name;Mobile\nAda;0171\n') }

async function openWith(page: Page, core: ScriptedCore): Promise<void> {
  await page.goto(`${core.url}#/imports`)
  await page.locator('input[type=file]').setInputFiles(people)
  await expect(page.getByRole('region', { name: 'Columns and first rows of the file' })).toContainText('Ada')
}

async function mapColumn(page: Page, column: string, target: string): Promise<void> {
  await page.getByRole('combobox', { name: `What column ${column} becomes` }).click()
  await page.getByRole('option', { name: target, exact: true }).click()
}

/** An import that runs until it is told otherwise. */
function runSlowly(core: ScriptedCore): void {
  const task = (state: Task['state']): Task =>
    aTask({
      id: 't-slow',
      kind: 'import',
      state,
      subject: 'people.csv',
      refId: 'i-slow',
      progress: { done: 412_000, total: 1_000_000, unit: 'rows' },
      ratePerSecond: 86_400,
      etaMs: 6_800,
    })
  let record: ImportRecord = anImport({
    id: 'i-slow',
    fileName: 'people.csv',
    state: 'running',
    taskId: 't-slow',
  })
  const become = (state: 'running' | 'paused' | 'cancelled') => {
    record = { ...record, state, canUndo: state === 'cancelled' }
    return core.day.tasks.put(task(state))
  }
  core.change({
    imports: {
      start: () => ({ taskId: become('running').id }),
      list: () => ({ items: [record], nextCursor: null }),
    },
    tasks: {
      pause: () => become('paused'),
      resume: () => become('running'),
      cancel: () => become('cancelled'),
    },
  })
}

test('a file is mapped, previewed, imported and taken back, and the page holds no barrier', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 3 })
  await openWith(page, core)
  await expect(page.getByText('2 rows have fewer cells than the header.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Preview' }).click()
  const figures = page.getByRole('group', { name: 'What the import would do' })
  await expect(
    page.getByText(
      'Of 1,000 rows: 906 would be stored, 31 cannot be read, 63 would change nothing or be left out.',
    ),
  ).toBeVisible()
  await expect(
    page.getByText('40 of those stored have no name: the service is expected to refuse'),
  ).toBeVisible()
  const rows = page.getByRole('region', { name: 'Rows of this outcome' })
  await expect(figures.getByRole('button', { name: '31 invalid' })).toHaveAttribute('aria-pressed', 'true')
  await expect(rows).toContainText('The number is too short')
  await expect(rows.getByRole('row').nth(1)).toContainText('8')
  await expect(page.getByText('a header is row 1')).toBeVisible()
  await figures.getByRole('button', { name: '812 new' }).click()
  await expect(rows).toContainText('+442079460000')
  await expectAccessible(page)
  await expect(page.getByText('row 13: A quote is opened and never closed.')).toBeVisible()
  await page.getByRole('button', { name: 'Import 906 contacts' }).click()
  const report = page.locator('[data-import]').first()
  await expect(report).toContainText('812 new')
  await expect(page).toHaveURL(/import=i-2/)
  await report.getByRole('button', { name: 'Undo…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
  await expect(report).toContainText('Undone')
})

test('what cannot be used is left out by choice, and the rows that lack it are shown', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await openWith(page, core)
  await page.getByRole('combobox', { name: 'E-mails and tags that cannot be used' }).click()
  await page.getByRole('option', { name: 'left out, the contact is kept' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: '3 without what cannot be used' }).click()
  const rows = page.getByRole('region', { name: 'Rows of this outcome' })
  await expect(rows).toContainText('The e-mail “grace@” is invalid.')
  await expectAccessible(page)
  expect(inputsOf(core, 'imports.preview')).toMatchObject([{ choices: { unusable: 'leave-out' } }])
})

test('numbers that could have their country’s code already are told of, and read so by choice', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await openWith(page, core)
  const preview = page.getByRole('button', { name: 'Preview' })
  await preview.click()
  await expect(page.getByText('without a plus begin with')).toHaveCount(0)
  await page.getByRole('combobox', { name: 'Numbers without a plus, read as of' }).fill('Germany')
  await page.getByRole('option', { name: 'Germany (DE)' }).click()
  await preview.click()
  const told = page.getByText('120 numbers without a plus begin with 49, the country’s own calling code')
  await expect(told).toContainText('were read as +49 49…; +49… would be numbers, too.')
  await expect(told).toContainText('choose “Read 49… as +49…”')
  await expectAccessible(page)
  await page.getByRole('checkbox', { name: 'Read 49… as +49…' }).click()
  await preview.click()
  await expect(told).toContainText('were read as +49…; +49 49… would be numbers, too.')
  await expect(told).not.toContainText('choose')
  expect(inputsOf(core, 'imports.preview').at(-1)).toMatchObject({
    choices: { defaultRegion: 'DE', doubleZeroIsPlus: true, ownCodeIsPlus: true },
  })
})

test('a control of the choices is called what stands at it', async ({ page, scripted }) => {
  await openWith(page, await scripted())
  for (const name of await page.locator('.options label > span').allTextContents())
    await expect(page.locator('.options').getByLabel(name, { exact: true }).first()).toBeVisible()
})

test('a change of the choices takes the preview away, and what is wrong with them is said', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await openWith(page, core)
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByRole('button', { name: 'Import 906 contacts' })).toBeEnabled()
  await page.getByLabel('Tags for all of them').fill('source')
  await expect(page.getByRole('button', { name: 'Import', exact: true })).toBeDisabled()
  await expect(page.getByRole('alert')).toContainText('“source” is not key=value')
  await page.getByLabel('Tags for all of them').fill('source=fair; year=2026')
  await mapColumn(page, 'Mobile', 'Leave out')
  await expect(page.getByRole('alert')).toContainText('Say which column holds the number.')
  await mapColumn(page, 'Mobile', 'Number')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Import 906 contacts' }).click()
  await expect(page.locator('[data-import]').first()).toContainText('812 new')
  expect(inputsOf(core, 'imports.start')).toMatchObject([
    {
      choices: {
        extraTags: { source: 'fair', year: '2026' },
        columns: [{ to: 'name' }, { to: 'phone' }, {}, {}],
      },
    },
  ])
})

test('an import tells its pace, is paused, goes on, and is cancelled', async ({ page, scripted }) => {
  const core = await scripted()
  runSlowly(core)
  await openWith(page, core)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Import 906 contacts' }).click()
  const report = page.locator('[data-import="i-slow"]')
  await expect(report).toContainText('412,000 of 1,000,000 rows · 86,400 rows/s · 6 s left')
  await report.getByRole('button', { name: /^Pause/ }).click()
  await expect(report).toContainText('Paused')
  await report.getByRole('button', { name: /^Resume/ }).click()
  await report.getByRole('button', { name: /^Cancel/ }).click()
  await expect(report).toContainText('Cancelled')
  await expect(report.getByRole('button', { name: 'Undo…' })).toBeVisible()
})

test('saves invalid rows, or all rejected rows, as a file', async ({ page, scripted }) => {
  const core = await scripted()
  await page.goto(`${core.url}#/imports`)
  const report = page.locator('[data-import="i-1"]')
  for (const [label, rows] of [
    ['Save invalid rows of autumn-contacts.csv', 'invalid'],
    [/^Save all 74 rows/, 'all'],
  ] as const) {
    const download = page.waitForEvent('download')
    await report.getByRole('button', { name: label }).click()
    expect(await readFile((await (await download).path())!, 'utf8')).toContain('Ada')
    expect(core.calls.findLast(({ name }) => name === 'imports.exportRejected')?.input).toMatchObject({
      rows,
    })
  }
})

test('rows that were not stored are listed with their reasons, more of them when asked, by keys alone', async ({
  page,
  scripted,
}) => {
  const row = (rowNumber: number): ImportRow => ({
    rowNumber,
    sheetRow: rowNumber + 1,
    line: rowNumber + 1,
    cells: ['Ada', '12', ''],
    phone: null,
    outcome: 'invalid',
    reason: 'The number is too short',
  })
  let isDown = false
  const core = await scripted({
    imports: {
      rejected: ({ cursor = '0', limit = 100 }) => {
        if (isDown) throw new AppError('INTERNAL', { correlationId: 'c-1' })
        const from = Number(cursor)
        const items = Array.from({ length: Math.min(limit, 450 - from) }, (_, at) => row(from + at + 1))
        return { items, nextCursor: from + limit < 450 ? String(from + limit) : null, total: 450 }
      },
    },
  })
  await page.goto(`${core.url}#/imports`)
  const report = page.locator('[data-import="i-1"]')
  const opener = report.getByRole('button', { name: 'See the 74 rows not stored' })
  await opener.focus()
  await page.keyboard.press('Enter')
  const rows = page.getByRole('region', { name: 'Rows of autumn-contacts.csv that were not stored' })
  await expect(rows.getByRole('row')).toHaveCount(201)
  await expect(rows.getByRole('row').nth(1)).toHaveText('2—Ada · 12 · The number is too short')
  await expect(report).toContainText('The first 200 of 450 rows.')
  await expectAccessible(page)
  const more = report.getByRole('button', { name: 'Show more' })
  await more.focus()
  await page.keyboard.press('Enter')
  await expect(rows.getByRole('row')).toHaveCount(401)
  await expect(more).toBeFocused()
  isDown = true
  await page.keyboard.press('Enter')
  await expect(report.getByRole('alert')).toContainText('INTERNAL')
  await expect(rows.getByRole('row')).toHaveCount(401)
  await expectAccessible(page)
  isDown = false
  await report.getByRole('button', { name: 'Read again' }).click()
  await expect(rows.getByRole('row')).toHaveCount(451)
  await expect(report).toContainText('All 450 rows.')
  await expect(report.getByRole('alert')).toHaveCount(0)
  await expect(rows).toBeFocused()
  await report.getByRole('button', { name: 'Hide the 74 rows not stored' }).click()
  await expect(rows).toHaveCount(0)
  expect(inputsOf(core, 'imports.rejected').map((input) => (input as { cursor?: string }).cursor)).toEqual([
    undefined,
    '200',
    '400',
    '400',
  ])
})

test('a list of rows that cannot be read is asked for again, and one that has none says why', async ({
  page,
  scripted,
}) => {
  let isDown = true
  const core = await scripted({
    imports: {
      rejected: () => {
        if (isDown) throw new AppError('INTERNAL', { correlationId: 'c-1' })
        return { items: [], nextCursor: null, total: 0 }
      },
    },
  })
  await page.goto(`${core.url}#/imports`)
  const report = page.locator('[data-import="i-1"]')
  await report.getByRole('button', { name: 'See the 74 rows not stored' }).click()
  await expect(report.getByRole('alert')).toContainText('INTERNAL')
  isDown = false
  await report.getByRole('button', { name: 'Read again' }).click()
  await expect(report).toContainText('None of these rows is listed')
  await expect(report).toContainText(
    '74 rows more are not listed: the number came into the book by another way',
  )
  await expectAccessible(page)
})

test('an import that runs lists what it did not store until now', async ({ page, scripted }) => {
  const core = await scripted()
  runSlowly(core)
  await core.day.tasks.put(
    aTask({
      id: 't-slow',
      kind: 'import',
      state: 'running',
      subject: 'people.csv',
      refId: 'i-slow',
      counts: { rows: 900, new: 600, invalid: 74 },
    }),
  )
  core.change({
    imports: {
      list: () => ({
        items: [
          anImport({
            id: 'i-slow',
            fileName: 'people.csv',
            state: 'running',
            taskId: 't-slow',
            counts: noCounts,
          }),
        ],
        nextCursor: null,
      }),
    },
  })
  await page.goto(`${core.url}#/imports`)
  const report = page.locator('[data-import="i-slow"]')
  await report.getByRole('button', { name: 'See the 74 rows not stored' }).click()
  await expect(report).toContainText('All 74 rows so far.')
  await expect(report.getByRole('button', { name: 'Read again' })).toBeVisible()
  await expect(report.getByRole('button', { name: /^Save/ })).toHaveCount(0)
})

test('a file that is no table is refused in words, and its place stays open for another', async ({
  page,
  scripted,
}) => {
  const core = await scripted({
    imports: {
      inspect: () => {
        throw new AppError('IMPORT_FILE_NOT_TEXT', { name: 'people.csv', detail: 'a picture' })
      },
    },
  })
  await page.goto(`${core.url}#/imports`)
  await page.locator('input[type=file]').setInputFiles(people)
  await expect(page.getByRole('alert').filter({ hasText: 'IMPORT_FILE_NOT_TEXT' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Choose a CSV file' })).toBeEnabled()
})

test('what was chosen for a file is not lost to a click elsewhere', async ({ page, scripted }) => {
  const core = await scripted()
  await openWith(page, core)
  await page.getByRole('link', { name: 'Overview' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('What you chose for this file will be lost')
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('region', { name: 'Columns and first rows of the file' })).toBeVisible()
  await page.getByRole('link', { name: 'Overview' }).click()
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
})

test('the report of an import says how many of its contacts came in marked', async ({ page, scripted }) => {
  const core = await scripted({
    imports: { list: () => ({ items: [anImport({ id: 'i-9', taskId: null })], nextCursor: null }) },
  })
  await page.goto(`${core.url}#/imports`)
  const report = page.locator('[data-import]').first()
  await expect(report).toContainText('1,000 rows: 812 new, 94 updated')
  await expect(report).toContainText('9 of those stored came in marked: on the DNC list or held.')
})

test('of an import that was undone those that were kept are shown, as long as there are any', async ({
  page,
  scripted,
}) => {
  const undone = { state: 'undone', canUndo: false, taskId: null } as const
  const core = await scripted({
    imports: {
      list: () => ({
        items: [
          anImport({ id: 'i-kept', ...undone, fileName: 'kept.csv', keptAny: true }),
          anImport({ id: 'i-gone', ...undone, fileName: 'gone.csv' }),
        ],
        nextCursor: null,
      }),
    },
  })
  await page.goto(`${core.url}#/imports`)
  const link = (id: string) => page.locator(`[data-import="${id}"]`).getByRole('link')
  await expect(link('i-kept')).toHaveText('Show those kept')
  await expect(link('i-gone')).toHaveCount(0)
  await link('i-kept').click()
  await expect(page).toHaveURL(/#\/contacts\?import=i-kept/)
})
