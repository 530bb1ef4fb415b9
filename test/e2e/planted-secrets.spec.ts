import { expect, test } from '@playwright/test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSecrets, sentSecrets, startMarkedService, useSecrets } from '../helpers/planted-secrets.ts'
import { startConsole } from '../helpers/start-console.ts'
import { connectPage } from './pages/connect-page.ts'
import { shellPage } from './pages/shell-page.ts'

/** What Playwright records of a request; it also keeps the frames of a socket. */
interface HarEntry {
  _webSocketMessages?: { type: 'send' | 'receive'; data: string }[]
}

test('the browser host writes none of seven secrets anywhere', async ({ browser }) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-secrets-'))
  const dataDir = join(folder, 'profile')
  const har = join(folder, 'traffic.har')
  const service = await startMarkedService()
  const console = await startConsole({ dataDir })
  const context = await browser.newContext({ recordHar: { path: har, content: 'embed' } })
  try {
    const page = await context.newPage()
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    await page.goto(console.url)
    const connect = connectPage(page)
    await connect.fillPassword(service.baseUrl, service.username, service.secrets.password)
    await connect.submit()
    await expect(shellPage(page).heading).toHaveText('Overview')
    await useSecrets(console.rpc, service)
    const hostToken = new URL(console.url).hash.replace('#token=', '')
    const secrets = { ...service.secrets, hostToken }
    const texts = () => ({
      // The link is printed for the operator and useless once used.
      output: console.host.lines
        .filter((line) => !/^(Switchboard ready|New link, for one browser): /.test(line))
        .join('\n'),
      'the page': said.join('\n'),
    })
    // While it runs, there are write-ahead logs.
    expect(findSecrets(secrets, [dataDir], { ...texts(), 'the page itself': await page.content() })).toEqual(
      [],
    )
    await context.close()
    await console.stop()
    expect(findSecrets(secrets, [dataDir], texts())).toEqual([])

    // Two secrets go from the page to the host: the token in the first call’s body, the password in a socket frame. Neither comes back or
    // appears in an address.
    const spent = `{\\"token\\":\\"${hostToken}\\"}`
    const traffic = readFileSync(har, 'utf8')
    expect(traffic).toContain(spent)
    const { log } = JSON.parse(traffic.replaceAll(spent, '')) as { log: { entries: HarEntry[] } }
    const frames = log.entries.flatMap((entry) => entry._webSocketMessages ?? [])
    const sent = frames.filter(({ type, data }) => type === 'send' && data.includes(service.secrets.password))
    expect(sent).toHaveLength(1)
    sent[0]!.data = ''
    expect(findSecrets(secrets, [], { 'the HAR': JSON.stringify(log) })).toEqual([])
    expect([...service.arrived].sort()).toEqual(sentSecrets)
  } finally {
    await console.stop()
    await service.stop()
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true })
  }
})
