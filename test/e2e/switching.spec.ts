import type { Page } from '@playwright/test'
import { AppError } from '#contract/errors.ts'
import { connections, inKeychain, ordinaryStatus } from '../helpers/scripted-answers.ts'
import { connectPage } from './pages/connect-page.ts'
import { shellPage } from './pages/shell-page.ts'
import { expect, test } from './scripted-console.ts'

const [production, staging, sandbox] = connections

/** The keys follow the list of connections, which may come after the name of the open one. */
async function listArrived(page: Page): Promise<void> {
  const shell = shellPage(page)
  await shell.openConnectionMenu()
  await expect(page.locator('[popover]').getByRole('button', { name: staging.name })).toBeVisible()
  await page.keyboard.press('Escape')
}

for (const from of ['/events', '/connect']) {
  test(`shows the Overview after opening a connection from ${from}`, async ({ page, core }) => {
    core.change({
      connections: {
        open: async () => {
          core.setStatus({ connection: null, session: { state: 'none', problem: null, endsAt: null } })
          await expect(page.getByRole('button', { name: /^Connection/ })).toBeHidden()
          await expect(page).toHaveURL(new RegExp(`#${from}$`))
          core.setStatus({ connection: staging, session: ordinaryStatus().session })
          return { connection: staging, secrets: inKeychain }
        },
      },
    })
    const shell = shellPage(page)
    await core.open(from)
    await shell.openConnectionMenu()
    await shell.chooseConnection('Acme staging')
    await expect(shell.heading).toHaveText('Overview')
    await expect(page.getByRole('button', { name: /^Connection.*Acme staging/ })).toBeVisible()
    await expect(connectPage(page).heading).toBeHidden()
    // The tab keeps it when another tab opens one, also after loading again.
    await page.reload()
    await expect(shell.heading).toHaveText('Overview')
    const asked = core.calls.findLast(({ name }) => name === 'status.watch')!
    expect(asked.input).toEqual({ connectionId: staging.id })
  })
}

test('shows Connect with the reason when a connection can’t be opened', async ({ page, core }) => {
  core.change({
    connections: {
      open: () => {
        core.setStatus({ connection: null })
        throw new AppError('STORAGE_DAMAGED', { file: 'state.db', asideFile: 'state.db.corrupt', lost: '' })
      },
    },
  })
  const shell = shellPage(page)
  await core.open('/settings')
  await shell.openConnectionMenu()
  await shell.chooseConnection('Acme staging')
  await expect(connectPage(page).heading).toBeVisible()
  await expect(shell.notice('STORAGE_DAMAGED')).toBeVisible()
})

test('leaves an empty form when a connection is opened elsewhere', async ({ page, core }) => {
  core.setStatus({ connection: null })
  await core.open('/connect')
  await expect(connectPage(page).heading).toBeVisible()
  core.setStatus({ connection: sandbox })
  await expect(shellPage(page).heading).toHaveText('Overview')
})

test('stays on a page opened while the connection opens', async ({ page, core }) => {
  let finish = () => {}
  core.change({
    connections: {
      open: () =>
        new Promise((resolve) => {
          finish = () => resolve({ connection: staging, secrets: inKeychain })
        }),
    },
  })
  const shell = shellPage(page)
  await core.open('/events')
  await shell.openConnectionMenu()
  await shell.chooseConnection('Acme staging')
  await shell.navigation.getByRole('link', { name: 'Contacts' }).click()
  await expect(shell.heading).toHaveText('Contacts')
  core.setStatus({ connection: staging })
  finish()
  await expect(page.getByRole('button', { name: /^Connection.*Acme staging/ })).toBeVisible()
  await expect(shell.heading).toHaveText('Contacts')
})

test('stays on a page opened before the status names the new connection', async ({ page, core }) => {
  core.change({
    connections: { open: () => ({ connection: sandbox, secrets: inKeychain }) },
  })
  const connect = connectPage(page)
  const { heading, navigation } = shellPage(page)
  await core.open('/connect')
  await connect.saved('Acme staging').click()
  await expect(heading).toHaveText('Overview')
  await navigation.getByRole('link', { name: 'Contacts' }).click()
  await expect(heading).toHaveText('Contacts')
  core.setStatus({ connection: sandbox })
  await expect(page.getByRole('button', { name: /^Connection.*Sandbox/ })).toBeVisible()
  await expect(heading).toHaveText('Contacts')
})

test('shows figures only under the name of their connection, even late ones', async ({ page, core }) => {
  const figures = new Map([
    [production.id, 111],
    [staging.id, 222],
    [sandbox.id, 333],
  ])
  const held = Promise.withResolvers<undefined>()
  const { get } = core.day.script.overview
  core.change({
    overview: {
      get: async (input, signal, id) => {
        if (id === staging.id) await held.promise
        const answer = await get(input, signal)
        return { ...answer, dashboard: { ...answer.dashboard!, messagesToday: figures.get(id!)! } }
      },
    },
  })
  // Every frame that shows a figure, as "connection: figure".
  await page.addInitScript(() => {
    const frames = new Set<string>()
    Object.assign(window, { frames: () => [...frames] })
    const look = () => {
      const name = document.querySelector('.current .truncate')?.textContent
      const figure = document.querySelector('.figure-row dd')?.textContent
      if (figure !== undefined && figure !== '–') frames.add(`${name?.trim()}: ${figure}`)
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  const frames = () => page.evaluate(() => (window as unknown as { frames(): string[] }).frames())
  const asked = (id: string) =>
    core.calls.filter(({ name, connectionId }) => name === 'overview.get' && connectionId === id).length
  await core.open('/overview')
  await expect.poll(frames).toEqual([`${production.name}: 111`])
  await listArrived(page)

  await page.keyboard.press('ControlOrMeta+2')
  await expect.poll(() => asked(staging.id)).toBe(1)
  await page.keyboard.press('ControlOrMeta+3')
  await expect.poll(frames).toEqual([`${production.name}: 111`, `${sandbox.name}: 333`])
  held.resolve(undefined)
  await page.keyboard.press('ControlOrMeta+2')
  const all = [`${production.name}: 111`, `${sandbox.name}: 333`, `${staging.name}: 222`]
  await expect.poll(frames).toEqual(all)
  // Only the last one shows 333.
  for (const key of ['1', '2', '1', '3']) await page.keyboard.press(`ControlOrMeta+${key}`)
  await expect(page.locator('.figure-row dd').first()).toHaveText('333')
  expect(await frames()).toEqual(all)
})

test('opens the connection still on show when its key follows another one', async ({ page, core }) => {
  const held = Promise.withResolvers<undefined>()
  const { open } = core.day.script.connections
  core.change({
    connections: {
      open: async (input, signal) => {
        if (input.id === staging.id) await held.promise
        return open(input, signal)
      },
    },
  })
  const opened = () => core.calls.flatMap(({ name, input }) => (name === 'connections.open' ? [input] : []))
  await core.open('/overview')
  await listArrived(page)
  await page.keyboard.press('ControlOrMeta+1')
  await page.keyboard.press('ControlOrMeta+2')
  await expect.poll(opened).toEqual([{ id: staging.id }])
  await page.keyboard.press('ControlOrMeta+1')
  await expect.poll(opened).toEqual([{ id: staging.id }, { id: production.id }])
  held.resolve(undefined)
})

test('requests nothing for the page left behind', async ({ page, core }) => {
  const shell = shellPage(page)
  await core.open('/contacts')
  await expect(page.getByRole('row')).not.toHaveCount(0)
  await listArrived(page)
  await page.keyboard.press('ControlOrMeta+2')
  await expect(shell.heading).toHaveText('Overview')
  await expect(page.locator('.figure-row dd').first()).not.toHaveText('–')
  const asked = () =>
    core.calls.filter(({ connectionId }) => connectionId === staging.id).map(({ name }) => name)
  // The Overview may be drawn before the status names the other connection.
  await expect.poll(asked).toContain('overview.get')
  expect(asked().filter((name) => name.startsWith('contacts.'))).toEqual([])
})
