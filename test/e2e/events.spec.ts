import { ago, minuteMs } from '../helpers/scripted/broadcast.ts'
import { createScriptedEvents, scriptedRow } from '../helpers/scripted-events.ts'
import { eventsPage } from './pages/events-page.ts'
import { expect, expectAccessible, inputOf, inputsOf, test } from './scripted-console.ts'

const secondMs = 1_000

/** `count` stored reports, the newest a second ago, every tenth failed. */
function stored(count: number, nowMs = Date.now()) {
  return Array.from({ length: count }, (_item, at) =>
    scriptedRow(
      at + 1,
      nowMs - (count - at) * secondMs,
      (at + 1) % 10 === 0 ? { status: 'failed', errorCode: 2 } : {},
    ),
  )
}

test('shows stored events and gaps newest first, down to the first while scrolling', async ({
  page,
  core,
}) => {
  const [from, to] = [ago(40 * minuteMs), ago(16 * minuteMs)]
  const gap = { from, to, durationMs: 24 * minuteMs, proven: true, reason: 'closed' }
  const record = createScriptedEvents(stored(900), [gap])
  const names = ({ numbers }: { numbers: readonly string[] }) => ({
    names: numbers.map((number) => (number === '+447700900900' ? 'Ada Byron' : null)),
    blocked: numbers.map((number) => (number === '+447700900900' ? ('hold' as const) : null)),
  })
  core.change({ events: record.answers, contacts: { names } })
  const events = eventsPage(page)
  await core.open('/events')
  await expect(events.storedTotal).toHaveText('900 events')
  await expect(events.row(0)).toContainText('+447700900900')
  await expect(events.row(0)).toContainText('Ada Byron')
  await expect(events.row(0).getByTitle('On hold')).toBeVisible()
  // All rows on screen cost one look-up.
  expect(inputsOf(core, 'contacts.names')).toHaveLength(1)
  expect(await events.rows.count()).toBeLessThan(80)

  record.add(scriptedRow(901, Date.now(), { status: 'expired' }))
  await expect(events.row(0)).toContainText('Expired')
  await expect(events.storedTotal).toHaveText('901 events')
  await expect(page.getByRole('contentinfo', { name: 'Status' })).toContainText('901 stored events')
  await expect(async () => {
    await events.scrollToEnd()
    await expect(page.getByText('Start of stored events')).toBeInViewport({ timeout: 300 })
  }).toPass()
  await expect(events.rows.last()).toContainText(/Gap .*–.* \(24 min\): Switchboard closed/)
  await expect(events.rows.filter({ hasText: '+447700900001' })).toBeVisible()
  expect(await events.rows.count()).toBeLessThan(80)
})

test('shows nothing for an invalid filter and says why, until corrected', async ({ page, core }) => {
  core.change({ events: createScriptedEvents(stored(30)).answers })
  const events = eventsPage(page)
  await core.open('/events')
  await expect(events.row(0)).toBeVisible()
  const number = page.getByRole('textbox', { name: /^Number/ })
  await number.fill('abc')
  await expect(page.getByText('Correct it to see events.')).toBeVisible()
  await expect(page.getByRole('alert')).toContainText('“abc” has no digits')
  await expect(number).toHaveAttribute('aria-invalid', 'true')
  await expect(events.list).toHaveCount(0)
  await expect(events.storedTotal).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await number.fill('+4477')
  await expect(events.row(0)).toBeVisible()
  await expect(number).not.toHaveAttribute('aria-invalid')
  expect(JSON.stringify(inputsOf(core, 'events.search'))).not.toContain('abc')
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(number).toHaveValue('')

  // A number typed as text without matches is offered as a number search.
  const none = { items: [], nextCursor: null, matchingTotal: 0, storedTotal: 30, upToSeq: 30 }
  core.change({ events: { search: () => ({ ...none, asOf: new Date().toISOString() }) } })
  await page.getByRole('textbox', { name: /message ID/ }).fill('+44 7700 900007')
  await page.getByRole('button', { name: 'Search as number' }).click()
  await expect
    .poll(() => inputOf(core, 'events.search'))
    .toMatchObject({ filter: { number: '+44 7700 900007' } })
  await expect(number).toHaveValue('+44 7700 900007')
})

test('exports matching events, and saves the file from Tasks', async ({ page, core }) => {
  await core.open('/events?kind=mo')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Matching events (NDJSON)' }).click()
  await expect(page.getByRole('button', { name: 'Save file' })).toBeVisible()
  const call = core.calls.find(({ name }) => name === 'events.export')
  expect(call?.input).toEqual({ filter: { kinds: ['mo'] }, format: 'ndjson' })
})

test('does not move what you point at or read while events arrive; f jumps to the latest', async ({
  page,
  core,
}) => {
  const record = createScriptedEvents(stored(399))
  core.change({ events: record.answers })
  const events = eventsPage(page)
  await core.open('/events')
  await events.row(1).hover()
  await expect(events.view('Paused')).toHaveAttribute('aria-pressed', 'true')
  record.addMany(1)
  await expect(events.newAbove).toHaveText('1 new event')
  await expect(events.row(0)).toContainText('+447700900399')
  await page.getByRole('heading', { level: 1 }).hover()
  await expect(events.row(0)).toContainText('+447700900400')
  await expect(events.storedTotal).toHaveText('400 events')
  await events.scrollTo(1_400)
  await expect(page.getByText('Paused while you read')).toBeVisible()
  const before = await events.topRowText()
  record.addMany(900)
  await expect(events.newAbove).toHaveText('900 new events')
  expect(await events.topRowText()).toBe(before)
  await page.keyboard.press('f')
  await expect(events.row(0)).toContainText('+447700901300')
  const live = events.view('Live')
  await expect(live).toHaveAttribute('aria-pressed', 'true')

  // Closing the details goes live again, but only at the top.
  for (const topPx of [0, 1_400]) {
    await events.row(2).click()
    await events.scrollTo(topPx)
    await page.keyboard.press('Escape')
    await expect(events.details).toHaveCount(0)
    await page.getByRole('heading', { level: 1 }).hover()
    await expect(live).toHaveAttribute('aria-pressed', String(topPx === 0))
  }
})

test('covers no cell with the new-events pill', async ({ page, core }) => {
  const record = createScriptedEvents(stored(40))
  core.change({ events: record.answers })
  const events = eventsPage(page)
  await core.open('/events')
  await expect(events.row(0)).toBeVisible()
  await page.keyboard.press('j')
  record.addMany(1_234)
  await expect(events.newAbove).toBeVisible()
  for (const [width, drawerOpen] of [
    [1440, false],
    [900, false],
    [1600, true],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    if (drawerOpen) await page.keyboard.press('Enter')
    // The columns take their widths after the window.
    await expect(async () => {
      const notice = (await events.newAbove.boundingBox())!
      const firstRow = (await events.row(0).boundingBox())!
      const nextHeader = (await page.getByRole('columnheader', { name: 'Message ID' }).boundingBox())!
      expect(notice.y + notice.height).toBeLessThanOrEqual(firstRow.y)
      expect(notice.x + notice.width).toBeLessThanOrEqual(nextHeader.x)
    }).toPass({ timeout: 5_000 })
  }
  // With the drawer open, the last columns are hidden.
  await page.setViewportSize({ width: 1_280, height: 800 })
  await expect(page.getByRole('columnheader', { name: 'Message ID' })).toHaveCount(0)
  const drawer = (await page.getByRole('complementary').boundingBox())!
  const notice = (await events.newAbove.boundingBox())!
  expect(notice.x + notice.width).toBeLessThanOrEqual(drawer.x)
  const isCut = await events.newAbove
    .locator('.truncate')
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  expect(isCut).toBe(false)
})

test('finds why a message failed, and closes its details, by keyboard alone', async ({ page, core }) => {
  core.extend('errorCodes.get', { note: 'Ask the carrier' })
  const record = createScriptedEvents([
    ...stored(30),
    scriptedRow(31, Date.now(), { status: 'failed', errorCode: 2, copies: 3 }),
  ])
  core.change({ events: record.answers })
  const events = eventsPage(page)
  await core.open('/events')
  await expect(events.row(0)).toBeVisible()
  await page.keyboard.press('j')
  await expect(events.activeRow).toContainText('+447700900031')
  await page.keyboard.press('Enter')
  await expect(events.details).toContainText(
    /Code 2: Destination unreachable.*The phone was off.*What to do:.*Ask the carrier/,
  )
  await expect(events.details).toContainText('Received 3 times · 5 s later, 25 s later')
  await expect(events.details).toContainText('Valid')
  record.copy(31)
  await expect(events.details).toContainText('Received 4 times')
  await expect(events.details).toContainText('x-webhook-signature')
  await page.keyboard.press('ArrowDown')
  await expect(events.details).toContainText('+447700900030')
  await page.keyboard.press('k')
  await page.keyboard.press('Escape')
  await expect(events.details).toHaveCount(0)
  await expect(events.activeRow).toContainText('+447700900031')
  await page.keyboard.press('/')
  await expect(page.getByRole('textbox', { name: /message ID/ })).toBeFocused()
  await page.keyboard.type('jjf')
  await expect(events.activeRow).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('textbox', { name: /message ID/ })).not.toBeFocused()
})

test('presses the focused button on Space, and pauses the view elsewhere', async ({ page, core }) => {
  const record = createScriptedEvents(stored(50))
  core.change({ events: record.answers })
  const events = eventsPage(page)
  await core.open('/events')
  await expect(events.row(0)).toBeVisible()
  await events.openFilter('Status')
  const expired = page.getByRole('button', { name: 'Expired', exact: true })
  await expired.press('Space')
  await expect(expired).toHaveAttribute('aria-pressed', 'true')
  await expect(events.view('Live')).toHaveAttribute('aria-pressed', 'true')
  await expired.press('Space')
  await page.keyboard.press('Escape')
  await events.list.focus()
  await page.keyboard.press('Space')
  await expect(events.view('Paused')).toHaveAttribute('aria-pressed', 'true')
  record.addMany(7)
  await expect(events.newAbove).toHaveText('7 new events')
  await expect(events.row(0)).toContainText('+447700900050')
  await page.keyboard.press('Space')
  await expect(events.row(0)).toContainText('+447700900057')
  await expect(events.row(7)).toContainText('+447700900050')
})

test('shows hostile text, headers and quarantined events as they are', async ({ page, core }) => {
  // Names may repeat.
  const headers = Array.from({ length: 15 }, (_, at): [string, string] => [`x-${at % 14}`, `value ${at}.`])
  const content = '<img src=x onerror=alert(1)><script>alert(2)</script> \u202Egnp.exe \u001B[31m =cmd|1'
  const record = createScriptedEvents([
    scriptedRow(1, Date.now(), { kind: 'mo', status: null, content, ownNumber: '+15550100' }),
    scriptedRow(2, Date.now(), { status: '<b>odd</b>\u202E', number: '<i>1</i>' }),
    scriptedRow(3, Date.now(), { number: '\u202E'.repeat(16), messageId: '\u202E'.repeat(8) }),
    scriptedRow(4, Date.now(), { kind: 'quarantined', status: null, messageId: null, number: null }),
  ])
  core.change({ events: record.answers })
  core.change({ events: { get: (input) => ({ ...record.answers.get(input), headers }) } })
  const events = eventsPage(page)
  await core.open('/events')
  await expect(events.row(3)).toContainText('<img src=x onerror=alert(1)>')
  await expect(events.row(3)).toContainText('[U+202E]gnp.exe')
  await expect(events.row(2)).toContainText('<b>odd</b>[U+202E]')
  const covering = await page
    .getByRole('gridcell')
    .evaluateAll((cells) =>
      cells
        .filter(
          (cell) => cell.scrollWidth > cell.clientWidth && getComputedStyle(cell).overflowX === 'visible',
        )
        .map((cell) => cell.textContent),
    )
  expect(covering, 'cells whose text covers the next one').toEqual([])
  await events.row(3).click()
  await expect(events.details.locator('pre')).toContainText('<script>alert(2)</script>')
  await expect(page.locator('img, [role="grid"] b, aside script')).toHaveCount(0)
  expect(await page.locator('body').innerText()).not.toMatch(/[\p{Bidi_Control}]|\p{Cc}(?<![\n\t])/u)
  await events.row(0).click()
  for (const [, value] of headers)
    await expect(events.details.getByText(value, { exact: true })).toHaveCount(1)
  await expect(events.details.getByText('Message timeline')).toHaveCount(0)
})

test('keeps the chart’s controls in place, and shows it as a table', async ({ page, core }) => {
  await page.setViewportSize({ width: 900, height: 900 })
  const record = createScriptedEvents(stored(60))
  const { promise: gate, resolve: answer } = Promise.withResolvers<undefined>()
  core.change({
    events: {
      ...record.answers,
      series: async (input) => (await gate, record.answers.series(input)),
    },
  })
  await core.open('/events')
  const toTable = page.getByRole('button', { name: 'Show table' })
  await expect(toTable).toBeDisabled()
  const before = await toTable.boundingBox()
  answer(undefined)
  await expect(toTable).toBeEnabled()
  expect(await toTable.boundingBox()).toEqual(before)
  await toTable.click()
  const table = page.getByRole('table', { name: /Events per 5 s/ })
  await expect(table.getByRole('columnheader', { name: 'Delivered' })).toBeVisible()
  expect(await table.getByRole('row').count()).toBeGreaterThan(5)
})

test('keeps the view switch on screen at 200 % zoom', async ({ page, core }) => {
  core.change({ events: createScriptedEvents(stored(30)).answers })
  const events = eventsPage(page)
  await page.setViewportSize({ width: 720, height: 450 })
  await core.open('/events')
  await expect(events.row(0)).toBeInViewport()
  await expect(events.view('Paused')).toBeInViewport({ ratio: 1 })
  await events.view('Paused').click()
  await expect(events.view('Paused')).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Replay', exact: true })).toBeInViewport()
  await page.keyboard.press('Escape')
  await events.row(0).click()
  // The drawer covers the page beside the sidebar.
  expect((await events.details.boundingBox())!.width).toBeGreaterThan(640)
  await expectAccessible(page)
})
