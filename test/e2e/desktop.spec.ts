import { ordinaryStatus } from '../helpers/scripted-answers.ts'
import { expect, inputsOf, test } from './scripted-console.ts'

test('asks before closing a tab only with unsaved text', async ({ page, core, troubles }) => {
  await core.open('/contacts')
  await page.getByRole('button', { name: 'New contact' }).first().click()
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Ada')
  await page.close({ runBeforeUnload: true })
  // The test dismisses every dialog.
  await expect.poll(() => troubles.splice(0)).toEqual(['a dialog opened: '])
  await expect(name).toHaveValue('Ada')

  await name.fill('')
  const closed = page.waitForEvent('close')
  await page.close({ runBeforeUnload: true })
  await closed
})

test('offers close to tray only where the host has a tray', async ({ page, core }) => {
  await core.open('/settings?section=desktop')
  await expect(page.getByRole('heading', { name: 'Connections' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Desktop' })).toHaveCount(0)

  const about = { version: '0.1.0', parts: [], dataDir: '/data' }
  core.change({ settings: { about: () => ({ ...about, capabilities: ['window.tray'] }) } })
  await page.reload()
  const toTray = page.getByRole('switch', { name: 'Close to tray' })
  await toTray.click()
  await expect(toTray).toBeChecked()
  expect(core.calls).toContainEqual(
    expect.objectContaining({ name: 'desktop.setSettings', input: { closeToTray: true } }),
  )
})

test('holds an opened file, but not the shortcuts, until a connection is open', async ({ page, core }) => {
  core.setStatus({ connection: null })
  await page.goto(core.url)
  core.day.desktop.ask({ id: 'r-1', kind: 'import', fileName: 'fair.csv' })
  core.day.desktop.ask({ id: 'r-2', kind: 'shortcuts' })
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  const taken = () => inputsOf(core, 'desktop.takeFile').length
  expect(taken()).toBe(0)
  core.setStatus({ connection: ordinaryStatus().connection })
  await expect(page.getByText('fair.csv').first()).toBeVisible()
  expect(taken()).toBe(1)
})
