import type { Verdict } from '#contract/live/signed-exports.ts'
import { ordinaryKey, verifyWith } from '../helpers/scripted/signed-exports.ts'
import { eventsPage } from './pages/events-page.ts'
import { shellPage } from './pages/shell-page.ts'
import { expect, expectAccessible, test } from './scripted-console.ts'

test('shows list, counts and chart up to the replayed time', async ({ page, core }) => {
  const events = eventsPage(page)
  const from = '2026-11-20T14:00:00.000Z'
  const to = '2026-11-20T15:00:00.000Z'
  const ends = (name: string) =>
    core.calls
      .filter((call) => call.name === `events.${name}`)
      .map(({ input }) => input as { filter?: { to?: string }; to?: string })
      .map((input) => input.filter?.to ?? input.to)
  await core.open(`/events?from=${from}&to=${to}`)
  await page.getByRole('button', { name: 'Replay' }).click()
  const bar = page.getByRole('region', { name: 'Replay' })
  const position = bar.getByRole('slider', { name: 'Replay position' })
  await expect(bar).toContainText(/Showing events up to 20 Nov, \d\d:\d\d:\d\d/)
  await expect(events.storedTotal).toHaveCount(0)
  await expect(page.getByText('Replaying', { exact: true })).toBeVisible()
  await expect(page.getByRole('group', { name: 'View' })).toHaveCount(0)
  await bar.getByRole('combobox', { name: 'Speed' }).click()
  await page.getByRole('option', { name: '600×' }).click()
  await expect.poll(() => new Set(ends('search')).size).toBeGreaterThan(3)

  await bar.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByText('Replay paused')).toBeVisible()
  await position.press('Home')
  await expect(position).toHaveAttribute('aria-valuetext', /20 Nov, \d\d:00:00/)
  await position.press('ArrowRight')
  await expect.poll(() => ends('search').at(-1)).toBe('2026-11-20T14:00:15.000Z')
  await expect.poll(() => ends('watch').at(-1)).toBe('2026-11-20T14:00:15.000Z')
  await expect.poll(() => ends('series').at(-1)).toBe('2026-11-20T14:00:15.000Z')
  await expectAccessible(page)

  await events.list.focus()
  await page.keyboard.press('Space')
  await expect(page.getByText('Replaying', { exact: true })).toBeVisible()
  await events.row(0).click()
  await expect(page.getByText('Replay paused')).toBeVisible()
  await page.keyboard.press('Escape')

  await bar.getByRole('button', { name: 'Back to live' }).click()
  await expect(bar).toHaveCount(0)
  await expect(events.storedTotal).toHaveText('1,204,518 events')
  await expect.poll(() => ends('search').at(-1)).toBe(to)

  await page.getByRole('button', { name: 'Replay' }).click()
  await expect(bar).toBeVisible()
  await page.getByRole('link', { name: 'Campaigns' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Campaigns')
  await expect(bar).toHaveCount(0)
  await page.goBack()
  await expect(events.storedTotal).toHaveText('1,204,518 events')
  await expect(bar).toHaveCount(0)
})

test('shows a new key at a signed export, and compares fingerprints', async ({ page, core }) => {
  core.change({ signedExports: { key: () => ({ key: null }) } })
  await core.open('/events')
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('button', { name: item, exact: true }).click()
  }
  await choose('Signed export…')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('The first export creates a signing key for this computer.')).toBeVisible()
  core.fail('signedExports.export', 'SIGNING_KEY_UNREADABLE', { detail: 'the keyring is locked' })
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('the key was not replaced')
  core.restore('signedExports.export')
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(dialog.getByText('Signing key created.')).toBeVisible()
  await expect(dialog.getByText('3f8a 1c5b')).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('button', { name: 'Save file' })).toBeVisible()

  await choose('Signed export…')
  core.change({
    signedExports: {
      export: () => ({
        taskId: 't-none',
        key: {
          ...ordinaryKey,
          fingerprint: 'ab'.repeat(32),
          keptIn: 'memory',
          earlier: [ordinaryKey.fingerprint],
        },
      }),
    },
  })
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(dialog.getByText('The signing key was missing')).toBeVisible()
  await expect(dialog.getByText('No keychain: a new key is used after restart.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()

  await choose('Verify signed export…')
  const verdict = page.getByRole('region', { name: 'Result' })
  const give = async (found?: Verdict) => {
    if (found) core.change({ signedExports: { verify: verifyWith(found) } })
    await page.locator('input[type=file]').setInputFiles({
      name: '\u202Egnp.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from('{}\n'),
    })
  }
  await give()
  await expect(verdict).toContainText('Valid, signed by this Switchboard')
  await expect(verdict).toContainText('48,213 events')
  const head = {
    connection: '<b>Acme</b>',
    service: 'x',
    from: 'no time',
    to: 'no time',
    madeAt: '?',
    console: '\u001b[31m',
    events: 1,
    arrived: 3,
    gaps: 0,
  }
  await give({ kind: 'valid', fingerprint: 'cd'.repeat(32), signedBy: 'another-key', head })
  await expect(verdict).toContainText('Valid, signed with another key')
  await expect(verdict).toContainText('<b>Acme</b>')
  await expect(verdict).toContainText('2 more events had been deleted')
  const typed = verdict.getByLabel('Expected fingerprint')
  await typed.fill('cdce')
  await expect(verdict).toContainText('The fingerprints differ.')
  await typed.fill(`SHA256:${'CDCD '.repeat(16)}`)
  await expect(verdict).toContainText('The fingerprints match.')
  await expectAccessible(page)
})

test('starts an action from the palette once, and keeps the filter of events', async ({ page, core }) => {
  const shell = shellPage(page)
  const dialog = (name: string) => page.getByRole('dialog', { name })
  await core.open('/campaigns')
  await expect(shell.heading).toHaveText('Campaigns')

  await shell.runCommand('Signed export')
  await expect(dialog('Signed export')).toBeVisible()
  await expect(shell.heading).toHaveText('Live events')
  await expect(page).toHaveURL(/#\/events$/)
  await page.reload()
  await expect(page.getByRole('grid')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await core.open('/events?kind=mo')
  await shell.runCommand('Verify signed')
  await expect(dialog('Verify signed export')).toBeVisible()
  await expect(page).toHaveURL(/#\/events\?kind=mo$/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await core.open('/contacts')
  await expect(shell.heading).toHaveText('Contacts')
  await shell.runCommand('Replay events')
  await expect(page.getByRole('region', { name: 'Replay' })).toBeVisible()
  await page.goBack()
  await expect(shell.heading).toHaveText('Contacts')
})
