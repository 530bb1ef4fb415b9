import { AppError } from '#contract/errors.ts'
import type { RecordingVerdict } from '#contract/recorder.ts'
import type { ScriptedCore } from '../helpers/scripted-core.ts'
import { ordinaryKey, verifyWith } from '../helpers/scripted/recorder.ts'
import { ShellPage } from './pages/shell-page.ts'
import { expect, expectAccessible, test } from './scripted-console.ts'

/** Has a replay run before a page is opened. */
function startReplay(core: ScriptedCore): void {
  core.day.script.replay.start(
    { from: '2026-11-20T14:00:00.000Z', to: '2026-11-20T15:00:00.000Z', speed: 5, skipQuiet: false },
    undefined,
  ) as unknown
}

test('a replay is marked on every page, keeps live actions away, survives a reload, and ends in live events', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await page.goto(`${core.url}#/events`)
  await page.getByRole('button', { name: 'Replay…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replay stored events' })
  await expect(dialog.getByRole('button', { name: 'Last hour' })).toHaveAttribute('aria-pressed', 'true')
  await expectAccessible(page)
  await dialog.getByLabel('Around a gap').selectOption({ index: 1 })
  await dialog.getByLabel('Until before').fill('2020-01-01T00:00:00')
  await expect(dialog.getByText('The end must be after the beginning.')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Start the replay' })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Last 24 h' }).click()
  await dialog.getByLabel('Speed').selectOption('30x')
  await dialog.getByLabel('Skip quiet times').check()

  core.change({
    replay: {
      start: () => {
        throw new AppError('REPLAY_EMPTY', { from: '2026-11-20T14:00:00Z', to: '2026-11-20T15:00:00Z' })
      },
    },
  })
  await dialog.getByRole('button', { name: 'Start the replay' }).click()
  await expect(dialog.getByRole('alert')).toContainText('No stored events between')
  core.change({ replay: core.day.script.replay })
  await dialog.getByRole('button', { name: 'Start the replay' }).click()

  const banner = page.getByTestId('replay-banner')
  await expect(banner).toContainText(/REPLAY of .* at 30x, now/)
  await expect(banner).toContainText('Live events go on being received and stored')
  await expect(page).toHaveTitle(/^REPLAY · Live events · Acme production/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Replayed events')
  await expect(page.getByRole('grid', { name: 'Replayed events, newest first' })).toBeVisible()
  await expect(page.getByTestId('stored-total')).toHaveText('1,204,518 of 2,040 events')
  for (const name of ['Export', 'Pause view', 'Replay…'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
  await expectAccessible(page)
  const { input } = core.calls.findLast(({ name }) => name === 'replay.start')!
  expect(input).toMatchObject({ speed: 30, skipQuiet: true })

  const controls = page.getByRole('region', { name: 'Controls of the replay' })
  await page.getByRole('grid').focus()
  await page.keyboard.press('Space')
  await expect(banner).toContainText('paused at')
  await page.keyboard.press('.')
  await controls.getByLabel('Speed of the replay').selectOption('as fast as it goes')
  await expect(banner).toContainText('as fast as it goes')
  await controls.getByLabel('Time line of the replay').press('Home')
  await expect
    .poll(() => core.calls.filter(({ name }) => name === 'replay.control').map((call) => call.input))
    .toMatchObject([
      { action: 'pause' },
      { action: 'step' },
      { action: 'speed', speed: 'max' },
      { action: 'seek', at: (input as { from: string }).from },
    ])
  core.day.replay.set({ atEnd: true, playing: false, gone: 1_204 })
  await expect(controls).toContainText('1,204 events of this span were deleted since')
  await expect(banner.getByRole('button', { name: 'Again' })).toBeVisible()

  await expect(banner).not.toContainText('This page shows what is live')

  await page.goto(`${core.url}#/campaigns`)
  await expect(banner).toContainText('This page shows what is live, not the replay.')
  await page.reload()
  await expect(banner).toBeVisible()
  await expectAccessible(page)
  await banner.getByRole('link', { name: 'Show it' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Replayed events')
  await banner.getByRole('button', { name: 'Stop the replay' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Live events')
  await expect(page).toHaveTitle(/^Live events/)
  await expect(page.getByTestId('stored-total')).toHaveText('1,204,518 events')
  await expect(page.getByText('is over')).toHaveCount(0)
})

test('a replay that another window ends is told of, and live events are shown', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  startReplay(core)
  await page.goto(`${core.url}#/events`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Replayed events')
  core.day.script.replay.stop(undefined, undefined)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Live events')
  await expect(page.getByText(/The replay of .* is over/)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.getByText('is over')).toHaveCount(0)
})

test('a signed file is written with a key that is told, and files are checked with every verdict', async ({
  page,
  scripted,
}) => {
  const core = await scripted({ recorder: { key: () => ({ key: null }) } })
  await page.goto(`${core.url}#/events`)
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('button', { name: item }).click()
  }
  await choose('A span, as a signed file…')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('A key of this console is made for it')).toBeVisible()
  core.change({
    recorder: {
      export: () => {
        throw new AppError('RECORDER_KEY_UNREADABLE', { detail: 'the keyring is locked' })
      },
    },
  })
  await dialog.getByRole('button', { name: 'Write the file' }).click()
  await expect(dialog.getByRole('alert')).toContainText('no other key was put in its place')
  await expectAccessible(page)
  core.change({ recorder: core.day.script.recorder })
  await dialog.getByRole('button', { name: 'Write the file' }).click()
  await expect(dialog.getByText('The key of this console was made.')).toBeVisible()
  await expect(dialog.getByText('3f8a 1c5b')).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('button', { name: 'Save the file' })).toBeVisible()

  await choose('A span, as a signed file…')
  core.change({
    recorder: {
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
  await dialog.getByRole('button', { name: 'Write the file' }).click()
  await expect(dialog.getByText('was no longer in the keychain')).toBeVisible()
  await expect(dialog.getByText('There is no keychain to keep it')).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()

  await choose('Check a signed file…')
  const verdict = page.getByRole('region', { name: 'Verdict' })
  const give = async (found?: RecordingVerdict) => {
    core.change({
      recorder: found ? { verify: verifyWith(found) } : { verify: core.day.script.recorder.verify },
    })
    await page.locator('input[type=file]').setInputFiles({
      name: '\u202Egnp.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from('{}\n'),
    })
  }
  await give()
  await expect(verdict).toContainText('Whole, and signed by this console')
  await expect(verdict).toContainText('48,213 events')
  await expectAccessible(page)
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
  await give({ kind: 'whole', fingerprint: 'cd'.repeat(32), signedBy: 'another-key', head })
  await expect(verdict).toContainText('Whole, and signed by another key')
  await expect(verdict).toContainText('<b>Acme</b>')
  await expect(verdict).toContainText('2 more had arrived and were no longer kept')
  const typed = verdict.getByLabel('Fingerprint to compare with')
  await typed.fill('cdce')
  await expect(verdict).toContainText('It is not the same.')
  await typed.fill(`SHA256:${'CDCD '.repeat(16)}`)
  await expect(verdict).toContainText('It is the same.')
  await expectAccessible(page)
  await give({ kind: 'whole', fingerprint: 'ef'.repeat(32), signedBy: 'earlier-key', head })
  await expect(verdict).toContainText('signed by an earlier key')
  await give({ kind: 'changed', line: 1_204, why: 'The next line does not follow it.' })
  await expect(verdict).toContainText('Line 1,204 does not hold')
  await give({ kind: 'cut-off', lines: 12 })
  await expect(verdict).toContainText('12 lines hold together')
  await give({ kind: 'not-a-recording', why: 'It is empty.' })
  await expect(verdict).toContainText('Not a recording')
  await expectAccessible(page)
})

test('a whole file is replayed from its check, and the banner says whose it is', async ({
  page,
  scripted,
}) => {
  const core = await scripted({})
  await page.goto(`${core.url}#/events`)
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Check a signed file…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Replay it' })).toHaveCount(0)
  await page.locator('input[type=file]').setInputFiles({
    name: 'recording.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from('{}\n'),
  })
  const begin = dialog.getByRole('button', { name: 'Replay it' })
  const loads = () => core.calls.filter(({ name }) => name === 'replay.load').length
  let go = () => {}
  core.change({
    replay: {
      load: async () => {
        await new Promise<void>((resolve) => (go = resolve))
        throw new AppError('DISK_FULL')
      },
    },
  })
  // Both clicks come before the page is drawn again.
  await begin.evaluate((button: HTMLElement) => {
    button.click()
    button.click()
  })
  await expect(dialog.getByRole('progressbar', { name: 'Checking the file again' })).toBeVisible()
  await expect(begin).toBeDisabled()
  await expect(dialog.getByRole('region', { name: 'Verdict' })).toBeVisible()
  expect(loads()).toBe(1)
  await expectAccessible(page)
  go()
  await expect(dialog.getByRole('alert')).toContainText('The disk is full')
  await expect(dialog.getByRole('region', { name: 'Verdict' })).toBeVisible()
  await expectAccessible(page)
  core.change({ replay: core.day.script.replay })
  await begin.click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByTestId('replay-banner')).toContainText(
    'from a file of “Night shift”, signed by another key (abab abab…)',
  )
  await expect(page.getByRole('heading', { name: 'Replayed events' })).toBeVisible()
})

test('the palette asks the recorder from any page, once, and keeps the filter of live events', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  const shell = new ShellPage(page)
  const dialog = (name: string) => page.getByRole('dialog', { name })
  await shell.open(core.url, '/campaigns')
  await expect(shell.heading).toHaveText('Campaigns')

  await shell.runCommand('Write a span')
  await expect(dialog('Write a span as a signed file')).toBeVisible()
  await expect(shell.heading).toHaveText('Live events')
  await expect(page).toHaveURL(/#\/events$/)
  await page.reload()
  await expect(page.getByRole('grid')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await shell.open(core.url, '/events?kind=mo')
  await shell.runCommand('Check a signed')
  await expect(dialog('Check a signed file')).toBeVisible()
  await expect(page).toHaveURL(/#\/events\?kind=mo$/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await shell.open(core.url, '/contacts')
  await expect(shell.heading).toHaveText('Contacts')
  await shell.runCommand('Replay a stored')
  await expect(dialog('Replay stored events').getByRole('button', { name: 'Last hour' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.goBack()
  await expect(shell.heading).toHaveText('Contacts')
})

test('the palette does not ask the recorder while a replay runs, nor does an address', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  startReplay(core)
  await page.goto(`${core.url}#/events?recorder=record`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Replayed events')
  await expect(page).toHaveURL(/#\/events$/)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search', exact: true }).fill('signed file')
  await expect(page.getByRole('option', { name: 'Find “signed file” in events' })).toBeVisible()
  await expect(page.getByRole('group', { name: 'Actions' })).toHaveCount(0)
})
