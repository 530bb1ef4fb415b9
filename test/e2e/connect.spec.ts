import { AppError } from '#contract/errors.ts'
import { connections, inKeychain } from '../helpers/scripted-answers.ts'
import { connectPage } from './pages/connect-page.ts'
import { shellPage } from './pages/shell-page.ts'
import { expect, expectAccessible, test } from './scripted-console.ts'

const address = 'https://api.example.com/v1'

test('connects from the first screen, with a password or a key, and says what happens to the secret', async ({
  page,
  core,
}) => {
  core.setStatus({ connection: null })
  const charts: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/echarts-')) charts.push(request.url())
  })
  const connect = connectPage(page)
  await page.goto(core.url)
  await expect(connect.heading).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(charts, 'no chart before the first page with one').toEqual([])
  await expect(shellPage(page).navigation).toBeHidden()
  await expect(page.getByText('Stored only in your system keychain')).toBeVisible()
  await expectAccessible(page)
  await connect.fillPassword(address, 'operator', 'correct horse')
  await page.getByText('Destructive actions ask').click()
  await connect.submit()
  await expect(shellPage(page).heading).toHaveText('Overview')
  expect(core.calls.find(({ name }) => name === 'connections.connect')?.input).toMatchObject({
    name: 'api.example.com',
    baseUrl: address,
    production: true,
    credential: { kind: 'password', username: 'operator', password: 'correct horse' },
  })

  const problem = { code: 'KEYCHAIN_LOCKED', acted: 'no', data: {} } as const
  core.setStatus({ connection: null, secrets: { kind: 'memory', problem } })
  await core.open('/connect')
  await page.getByText('API key', { exact: true }).click()
  await expect(connect.password).toBeHidden()
  await expect(page.getByText('Your keychain is locked.')).toBeVisible()
  await connect.baseUrl.fill(address)
  await connect.apiKey.fill('key-1')
  await connect.submit()
  await expect(shellPage(page).heading).toHaveText('Overview')
  expect(core.calls.findLast(({ name }) => name === 'connections.connect')?.input).toMatchObject({
    credential: { kind: 'api-key', apiKey: 'key-1' },
  })
})

test('shows an empty field and a wrong password at their fields', async ({ page, core }) => {
  let tries = 0
  const refuse = () => {
    tries++
    throw new AppError('WRONG_PASSWORD', { serviceText: 'invalid credentials' })
  }
  core.change({ connections: { connect: refuse } })
  core.setStatus({ connection: null })
  const connect = connectPage(page)
  await core.open('/connect')
  await connect.baseUrl.fill(address)
  await connect.submit()
  await expect(connect.username).toBeFocused()
  await expect(connect.username).toHaveAttribute('aria-invalid', 'true')
  await expect(connect.baseUrl).toHaveAttribute('aria-invalid', 'false')
  expect(tries).toBe(0)
  await connect.fillPassword(address, 'operator', 'wrong')
  await connect.submit()
  await expect(page.getByRole('alert')).toContainText('“invalid credentials”')
  await expect(connect.password).toBeFocused()
  await expect(connect.password).toHaveAccessibleDescription(/Nothing was saved/)
  await expect(connect.baseUrl).toHaveValue(address)
  await page.keyboard.press('Enter')
  await expect.poll(() => tries).toBe(2)
})

test('shows where a restored connection signs in, what is queued in it, and why it didn’t open', async ({
  page,
  core,
}) => {
  const saved = connections[1]
  core.extend('connections.list', {
    connections: [saved],
    failed: [{ id: saved.id, problem: { code: 'STORAGE_OTHER_BUILD', acted: 'no', data: {} } }],
    restored: [
      {
        id: saved.id,
        createdAt: '2026-03-01T10:00:00.000Z',
        waiting: { 'send-ott': 1_204, 'create-contact': 0 },
      },
    ],
  })
  await core.open(`/connect?id=${saved.id}`)
  const note = page.getByRole('region', { name: 'Restored connection' })
  await expect(note).toContainText(saved.baseUrl)
  await expect(note.getByRole('listitem')).toHaveText(['Messages to send: 1,204'])
  const list = page.getByRole('region', { name: 'Saved connections' })
  await expect(list.getByRole('alert')).toContainText('Another build of Switchboard wrote this data')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New connection instead' }).click()
  await expect(note).toBeHidden()
})

test('opens a saved connection at once; a sign-in asks only for the secret', async ({ page, core }) => {
  core.setStatus({ connection: null })
  const connect = connectPage(page)
  await core.open('/connect')
  await connect.saved('Acme staging').click()
  await expect(shellPage(page).heading).toHaveText('Overview')

  await core.open('/connect?id=c-stage')
  await expect(page.getByText('operator@acme.example')).toBeVisible()
  await expect(page.getByRole('textbox')).toHaveCount(1)
  await expect(connect.password).toBeFocused()
  await page.keyboard.type('again')
  await page.keyboard.press('Enter')
  await expect(shellPage(page).heading).toHaveText('Overview')
  expect(core.calls.find(({ name }) => name === 'connections.connect')?.input).toMatchObject({
    id: 'c-stage',
    name: 'Acme staging',
  })
})

test('reports saved connections that can’t be read, and retries', async ({ page, core }) => {
  core.fail('connections.list', 'STORAGE_BUSY')
  core.setStatus({ connection: null })
  await core.open('/connect')
  await expect(page.getByRole('alert')).toContainText('The database is busy')
  core.restore('connections.list')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(connectPage(page).saved('Acme staging')).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('saves a connection whose service doesn’t answer, to work with stored data', async ({ page, core }) => {
  core.change({
    connections: {
      connect: (input) => {
        if (!input.evenOffline)
          throw new AppError('SERVICE_UNREACHABLE', { host: 'api.example.com', reason: 'ENOTFOUND' })
        return { connection: connections[0], secrets: inKeychain }
      },
    },
  })
  core.setStatus({ connection: null })
  const connect = connectPage(page)
  await core.open('/connect')
  await connect.fillPassword(address, 'operator', 'correct horse')
  await connect.submit()
  await expect(page.getByText('The password isn’t saved; sign in later.')).toBeVisible()
  await page.getByRole('button', { name: 'Save and work offline' }).click()
  await expect(shellPage(page).heading).toHaveText('Overview')
})
