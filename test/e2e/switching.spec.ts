import { AppError } from '#contract/errors.ts'
import { connections, inKeychain, ordinaryStatus } from '../helpers/scripted-answers.ts'
import { ConnectPage } from './pages/connect-page.ts'
import { ShellPage } from './pages/shell-page.ts'
import { expect, test } from './scripted-console.ts'

const staging = connections[1]!
const sandbox = connections[2]!

test('asks nothing, because every connection stays live', async ({ page, scripted }) => {
  const core = await scripted()
  const shell = new ShellPage(page)
  await shell.open(core.url, '/settings')
  await shell.openConnectionMenu()
  await shell.chooseConnection('Acme staging')
  await expect(page.getByRole('button', { name: /^Connection.*Acme staging/ })).toBeVisible()
})

for (const from of ['/settings', '/events', '/connect']) {
  test(`shows the Overview of a connection opened from ${from}, though the core has none for a moment`, async ({
    page,
    scripted,
  }) => {
    const core = await scripted()
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
    const shell = new ShellPage(page)
    await shell.open(core.url, from)
    await shell.openConnectionMenu()
    await shell.chooseConnection('Acme staging')
    await expect(shell.heading).toHaveText('Overview')
    await expect(page.getByRole('button', { name: /^Connection.*Acme staging/ })).toBeVisible()
    await expect(new ConnectPage(page).heading).toBeHidden()
  })
}

test('shows Connect with the reason when a connection can’t be opened', async ({ page, scripted }) => {
  const core = await scripted()
  core.change({
    connections: {
      open: () => {
        core.setStatus({ connection: null })
        throw new AppError('STORAGE_DAMAGED', { file: 'state.db', asideFile: 'state.db.corrupt', lost: '' })
      },
    },
  })
  const shell = new ShellPage(page)
  await shell.open(core.url, '/settings')
  await shell.openConnectionMenu()
  await shell.chooseConnection('Acme staging')
  await expect(new ConnectPage(page).heading).toBeVisible()
  await expect(shell.notice('STORAGE_DAMAGED')).toBeVisible()
})

test('leaves an empty form when a connection is opened elsewhere', async ({ page, scripted }) => {
  const core = await scripted()
  core.setStatus({ connection: null })
  await new ConnectPage(page).open(core.url)
  await expect(new ConnectPage(page).heading).toBeVisible()
  core.setStatus({ connection: sandbox })
  await expect(new ShellPage(page).heading).toHaveText('Overview')
})

test('stays on a page opened before the status names the new connection', async ({ page, scripted }) => {
  const core = await scripted({
    connections: { open: () => ({ connection: sandbox, secrets: { kind: 'keychain', problem: null } }) },
  })
  const connect = new ConnectPage(page)
  const { heading, navigation } = new ShellPage(page)
  await connect.open(core.url)
  await connect.saved('Acme staging').click()
  await expect(heading).toHaveText('Overview')
  await navigation.getByRole('link', { name: 'Contacts' }).click()
  await expect(heading).toHaveText('Contacts')
  core.setStatus({ connection: sandbox })
  await expect(page.getByRole('button', { name: /^Connection.*Sandbox/ })).toBeVisible()
  await expect(heading).toHaveText('Contacts')
})
