import { AppError } from '#contract/errors.ts'
import { viewOf } from '#electron/core/platform/rpc/errors.ts'
import { ordinaryStatus } from '../helpers/scripted-answers.ts'
import { settingsPage } from './pages/settings-page.ts'
import { expect, expectAccessible, inputOf, inputsOf, test } from './scripted-console.ts'

test.describe('in New York', () => {
  test.use({ timezoneId: 'America/New_York' })
  test('assumes no country, and saves the chosen one', async ({ page, core }) => {
    core.day.dnc.setCache({ withoutCountry: 4 })
    await core.open('/overview')
    await page.getByRole('link', { name: 'Choose country' }).click()
    const numbers = page.getByRole('region', { name: 'Numbers', exact: true })
    await expect(numbers).toContainText('No country is chosen')
    await expect(numbers).toContainText('Forms suggest United States.')
    await expect(numbers.getByRole('button', { name: 'Apply' })).toBeDisabled()
    await numbers.getByRole('combobox').click()
    await page.keyboard.type('Kingd')
    await page.getByRole('option', { name: 'United Kingdom (GB)' }).click()
    await numbers.getByRole('button', { name: 'Apply' }).click()
    await expect
      .poll(() => inputOf(core, 'connections.update'))
      .toMatchObject({ id: 'c-prod', country: 'GB' })
  })
})

test('edits a connection, backs it up, and asks for a file to restore', async ({ page, core }) => {
  const settings = settingsPage(page)
  await core.open('/settings?section=connections')
  await settings.button('Edit Acme staging').click()
  const address = page.getByRole('textbox', { name: 'Dashboard URL' })
  await address.fill('javascript:alert(1)')
  await expect(settings.button('Save')).toBeDisabled()
  await address.fill('https://dashboard.example/login')
  await settings.button('Save').click()
  await expect
    .poll(() => inputOf(core, 'connections.update'))
    .toMatchObject({ id: 'c-stage', dashboardUrl: 'https://dashboard.example/login' })

  await settings.button('More for Sandbox').click()
  await expect(settings.button('Remove Sandbox')).toBeVisible()
  await expect(settings.button('Back up Sandbox')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await settings.button('More for Acme production').click()
  await settings.button('Back up Acme production').click()
  await expect(settings.dialog).toContainText('signing secrets are not included')
  await settings.dialog.getByRole('button', { name: 'Back up', exact: true }).click()
  await expect(page.getByText('Backup started. Save the file from Tasks when it is done.')).toBeVisible()
  expect(core.calls.some(({ name }) => name === 'backups.start')).toBe(true)
  await settings.button('Restore from backup…').click()
  await expect(settings.dialog.getByRole('button', { name: 'Restore', exact: true })).toBeDisabled()
  await expect(settings.dialog).toContainText('The outbox stays paused until you resume it.')
  await page.keyboard.press('Escape')
  await expect(settings.dialog).toHaveCount(0)

  // Near the bottom edge, a menu opens above its button.
  const more = settings.button('More for Acme production')
  const { y, height } = (await more.boundingBox())!
  await page.setViewportSize({ width: 1_000, height: Math.round(y + height + 20) })
  await more.click()
  const item = settings.button('Remove Acme production')
  await expect(item).toBeInViewport({ ratio: 1 })
  expect((await item.boundingBox())!.y).toBeLessThan((await more.boundingBox())!.y)
  await page.keyboard.press('ArrowDown')
  await expect(settings.button('Back up Acme production')).toBeFocused()
})

test('suggests a free port for a taken one, and applies it with one click', async ({ page, core }) => {
  core.setStatus({
    listener: {
      ...ordinaryStatus().listener,
      state: 'failed',
      url: null,
      problem: {
        code: 'PORT_TAKEN',
        acted: 'no',
        data: { port: 8787 },
      },
    },
  })
  await core.open('/settings?section=listener')
  await expect(page.getByText('Port 8787 is in use by another program').first()).toBeVisible()
  expect(inputsOf(core, 'listener.configure')).toEqual([])
  await page.getByRole('button', { name: 'Use port 8788' }).click()
  await expect(page.getByLabel('Port')).toHaveValue('8788')
  await expect
    .poll(() => inputOf(core, 'listener.configure'))
    .toMatchObject({ port: 8788, address: '127.0.0.1' })
})

test('counts the subscriptions that fail before it moves, and takes a public address over https only', async ({
  page,
  core,
}) => {
  const settings = settingsPage(page)
  await core.open('/settings?section=listener')
  const block = settings.block('Public address')
  await block.getByLabel('URL').fill('http://events.example.com')
  await block.getByLabel('URL').blur()
  await expect(block.getByRole('alert')).toContainText('Use https')
  await expect(block.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await block.getByLabel('URL').fill('https://events.example.com/?a=1')
  await expect(block.getByRole('alert')).toContainText('Remove the user name')
  await block.getByLabel('URL').fill('https://events.example.com/')
  await expect(block).toContainText('use https://events.example.com/webhooks')
  await block.getByRole('button', { name: 'Apply' }).click()
  await expect
    .poll(() => inputsOf(core, 'listener.setPublicBase'))
    .toEqual([{ publicBase: 'https://events.example.com' }])

  await expect(settings.place('Apply')).toBeDisabled()
  await page.getByLabel('Path').fill('/hooks')
  await page.getByRole('switch', { name: 'Accept unsigned deliveries' }).click()
  await settings.place('Apply').click()
  await expect(settings.dialog).toContainText('1 subscription to http://127.0.0.1:8787/webhooks will fail')
  await settings.dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(inputsOf(core, 'listener.configure')).toEqual([])
  await settings.place('Apply').click()
  await settings.dialog.getByText('Subscribe the new address to the same events').click()
  await settings.dialog.getByRole('button', { name: 'Move' }).click()
  await expect
    .poll(() => inputsOf(core, 'listener.configure'))
    .toMatchObject([{ path: '/hooks', allowUnsigned: true, replaceSubscriptions: false }])
})

test('refreshes the rejected deliveries at most once every few seconds', async ({ page, core }) => {
  await page.clock.install()
  await core.open('/settings?section=listener')
  const readings = () => inputsOf(core, 'listener.refusals').length
  await expect.poll(readings).toBe(1)
  const { listener } = ordinaryStatus()
  for (const more of [1, 2, 3]) {
    core.setStatus({ listener: { ...listener, refused: listener.refused + more }, storedEvents: more })
    await expect(page.getByRole('contentinfo', { name: 'Status' })).toContainText(`${more} stored event`)
  }
  expect(readings()).toBe(2)
  await page.clock.runFor(5_000)
  await expect.poll(readings).toBe(3)
})

test('adds a secret beside the old one, and leaves no trace of it in the page', async ({ page, core }) => {
  const settings = settingsPage(page)
  await core.open('/settings?section=listener')
  await page.getByLabel('Path').fill('/typed')
  await page.getByLabel('Label', { exact: true }).fill('wh-3')
  await page.getByLabel('Secret', { exact: true }).fill('s3cret-value')
  await settings.block('Signing secrets').getByText('Keep', { exact: true }).click()
  await page.getByText('Keep 24 hours').click()
  await settings.button('Add secret').click()
  await expect(settings.row('wh-3')).toBeVisible()
  expect(inputOf(core, 'listener.addSecret')).toEqual({
    label: 'wh-3',
    value: 's3cret-value',
    retireOthersAfterHours: 24,
  })
  expect(await page.content()).not.toContain('s3cret-value')
  await expect(page.getByLabel('Secret', { exact: true })).toHaveValue('')
  await settings.button('Remove wh-3').click()
  await settings.dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(settings.row('wh-3')).toBeHidden()
  // What was typed elsewhere stays, also when the listener changes.
  core.setStatus({ listener: { ...ordinaryStatus().listener, acknowledged: 50_000 } })
  await expect(page.getByLabel('Path')).toHaveValue('/typed')
  await expect(settings.place('Apply')).toBeEnabled()

  // While none is stored, the secret of the start counts.
  await settings.place('Discard changes').click()
  core.extend('listener.get', { secrets: [] })
  await page.reload()
  const block = settings.block('Signing secrets')
  await expect(block).toContainText('the secret that Switchboard was started with are accepted')
  core.setStatus({ listener: { ...ordinaryStatus().listener, withoutSecret: true } })
  await expect(block).toContainText('Signed deliveries are rejected')
})

test('says what could not be read, saved or done, beside what could', async ({ page, core }) => {
  core.fail('listener.get', 'STORAGE_BUSY')
  core.fail('notifications.set', 'DISK_FULL')
  core.extend('connections.signOut', {
    problem: viewOf(new AppError('SIGN_OUT_INCOMPLETE', { detail: 'locked' })),
  })
  const settings = settingsPage(page)
  await core.open('/settings?section=listener')
  await expect(settings.block('Listener').getByRole('alert')).toContainText('The database is busy')
  await expect(settings.block('Rejected deliveries').getByRole('row').nth(1)).toBeVisible()

  await core.open('/settings?section=notifications')
  const toggle = page.getByRole('switch').first()
  await toggle.click()
  await expect(settings.block('Notifications').getByRole('alert')).toContainText('disk is full')
  await expect(toggle).toBeChecked()

  await core.open('/settings?section=connections')
  await settings.button('More for Acme staging').click()
  await settings.button('Sign out of Acme staging').click()
  await settings.dialog.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('alert')).toContainText('the keychain still has your sign-in (locked)')
})

test('lists rejected deliveries, and explains each', async ({ page, core }) => {
  const { refusal, refusals } = core.day.script.listener
  core.change({
    listener: {
      refusals: async (...asked) => {
        const answer = await refusals(...asked)
        return {
          ...answer,
          refusals: [{ ...answer.refusals[0]!, id: 'unknown' }, ...answer.refusals],
          total: 58_213,
        }
      },
      refusal: async ({ id }, signal) => {
        const answer = await refusal({ id }, signal)
        return id === 'unknown' ? { ...answer, match: null } : answer
      },
    },
  })
  const settings = settingsPage(page)
  await core.open('/settings?section=listener')
  const block = settings.block('Rejected deliveries')
  await expect(block).toContainText(/Last \d of 58,213/)
  const rows = block.getByRole('row')
  await expect(rows.nth(2)).toContainText('wrong signature')
  await expect(rows.nth(3)).toContainText('body too large')
  await rows.nth(1).getByRole('button', { name: 'Details' }).click()
  await expect(rows.nth(2)).toContainText('No stored secret matches this signature')
  await rows.nth(3).getByRole('button', { name: 'Details' }).click()
  await expect(rows.nth(3)).toContainText('Matches “Production”')
  await expect(rows.nth(3)).toContainText(`${'5f'.repeat(6)}…`)
  await expectAccessible(page)
})

test('finds the retention limits, checks them at their fields, and asks before it deletes', async ({
  page,
  core,
}) => {
  const settings = settingsPage(page)
  await core.open('/settings')
  const search = page.getByLabel('Search settings')
  await search.fill('nothing has this')
  await expect(page.getByText('No settings match')).toBeVisible()
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveCount(0)
  await search.fill('port')
  await expect(page.getByRole('link', { name: /^Listener/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Diagnostics/ })).toHaveCount(0)
  await search.fill('timezone')
  await expect(page.getByRole('link', { name: 'Quiet hours' })).toHaveAttribute('href', /tab=many/)
  await search.fill('keep data')
  await page.getByRole('link', { name: 'Event storage' }).click()
  await expect(page.getByTestId('stored-events')).toContainText('1,204,518 events since')
  await expect(page.getByTestId('stored-events')).toContainText('including 171.7 MiB of reusable space')
  const reads = inputsOf(core, 'retention.get').length
  core.setStatus({ storedEvents: 1_000_000 })
  await expect.poll(() => inputsOf(core, 'retention.get').length).toBe(reads + 1)
  const days = page.getByLabel('Delete after (days)')
  await days.fill('6,5')
  await expect(page.getByRole('alert')).toHaveText('Enter a whole number from 1 to 3,650, or leave empty')
  await expect(settings.button('Apply')).toBeDisabled()
  await days.fill('5')
  await expect(page.getByRole('alert')).toHaveText('Can’t be less than “Always keep”')
  await days.fill('20')
  await settings.button('Apply').click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('About 301,129 events from before')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  expect(inputsOf(core, 'retention.set')).toEqual([])
  await settings.button('Apply').click()
  await dialog.getByRole('button', { name: 'Delete events' }).click()
  await expect(dialog).toBeHidden()
  // A change that deletes nothing asks nothing.
  await days.fill('60')
  await page.getByLabel('Maximum size (MiB)').fill('5000')
  await settings.button('Apply').click()
  await expect(settings.button('Apply')).toBeDisabled()
  await expect
    .poll(() => inputsOf(core, 'retention.set'))
    .toEqual([
      { deleteAfterDays: 20, maxMb: null, keepAtLeastDays: 7 },
      { deleteAfterDays: 60, maxMb: 5000, keepAtLeastDays: 7 },
    ])
})

test('truncates a name of sixty characters, with the whole one on hover', async ({ page, core }) => {
  const name = 'x'.repeat(60)
  const username = `${'u'.repeat(40)}@example.com`
  const long = {
    name,
    credentialKind: 'password' as const,
    username,
    baseUrl: `https://${'h'.repeat(60)}/v1`,
  }
  core.extend('connections.list', { connections: [{ ...ordinaryStatus().connection!, ...long }] })
  const settings = settingsPage(page)
  for (const width of [1440, 1280, 900]) {
    await page.setViewportSize({ width, height: 900 })
    await core.open('/settings?section=connections')
    await expect(settings.row(name).getByTitle(name)).toHaveCSS('text-overflow', 'ellipsis')
    const cut = await settings
      .row(name)
      .getByTitle(name)
      .evaluate((text) => text.scrollWidth > text.clientWidth)
    expect(cut).toBe(true)
    const wide = settings.block('Connections').locator('table')
    expect(
      await wide.evaluate((table) => table.scrollWidth - table.parentElement!.clientWidth),
    ).toBeLessThanOrEqual(0)
  }
  await settings.button(`Edit ${name}`).click()
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveAttribute('maxlength', '60')
})

test('shows what detection found beside each field name, and starts it there', async ({ page, core }) => {
  const settings = settingsPage(page)
  await core.open('/settings?section=field-names')
  const row = settings.row('Error code search parameter')
  await expect(row).toContainText('Verified')
  await expect(row).toContainText('answered an empty list; q=1 answered 2 records')
  await expect(settings.row('DNC check parameter')).toContainText('Couldn’t verify')
  await expect(settings.row('Analytics dates')).toContainText('Not checked yet')
  await settings.button('Detect Analytics dates').click()
  await settings.button('Detect').click()
  const detections = () => inputsOf(core, 'settings.detectFieldNames')
  await expect.poll(detections).toEqual([{ names: ['analyticsDates'] }, {}])
  await page.getByRole('link', { name: 'Opt-out keywords' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Do not contact')
})
