import { shellPage } from './pages/shell-page.ts'
import { aTask } from '../helpers/scripted/tasks.ts'
import { expect, inputsOf, test } from './scripted-console.ts'

test('counts tasks in the status bar, and lists them with their actions', async ({ page, core }) => {
  await core.open('/campaigns')
  const button = page.getByTestId('tasks')
  await expect(button).toContainText('1 running · 2 need attention')
  await expect(page.getByRole('progressbar', { name: 'All running tasks' })).toHaveAttribute(
    'aria-valuenow',
    '41',
  )
  await button.click()
  const panel = page.getByRole('region', { name: 'Tasks' })
  await expect(panel).toContainText('412,000 of 1,000,000 rows · 86,400 rows/s · 6 s left')
  await expect(panel).toContainText('398,210 new, 8,112 updated, 5,678 rejected')
  const pausing = panel.getByRole('button', { name: 'Pause: Import autumn-contacts.csv' })
  core.fail('tasks.pause', 'STORAGE_BUSY')
  await pausing.click()
  await expect(panel.locator('[data-task="t-import"]').getByRole('alert')).toContainText('STORAGE_BUSY')
  core.restore('tasks.pause')
  await pausing.click()
  core.day.tasks.put(aTask({ id: 't-import', kind: 'import', state: 'paused' }))
  await expect(button).toContainText('3 need attention')
  await panel.getByRole('button', { name: 'Resume: Import contacts.csv' }).click()
  await panel.getByRole('button', { name: 'Cancel: Import contacts.csv' }).click()
  await panel.getByRole('button', { name: 'Clear finished' }).click()
  await expect.poll(() => inputsOf(core, 'tasks.dismiss')).toEqual([{}])
  expect(
    core.calls.filter(({ input }) => (input as { id?: string })?.id === 't-import').map(({ name }) => name),
  ).toEqual(['tasks.pause', 'tasks.pause', 'tasks.resume', 'tasks.cancel'])
})

test('opens the panel by keyboard and palette, and leads to a result', async ({ page, core }) => {
  const shell = shellPage(page)
  await core.open('/campaigns')
  await expect(page.getByTestId('tasks')).toContainText('1 running')
  await shell.runCommand('Show tasks')
  const panel = page.getByRole('region', { name: 'Tasks' })
  await expect(panel).toBeVisible()
  await expect(panel.getByRole('heading', { name: 'Tasks' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await panel.getByRole('link', { name: /^Open DNC sync/ }).click()
  await expect(shell.heading).toHaveText('Do not contact')
  await expect(panel).toBeHidden()
})
