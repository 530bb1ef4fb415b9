import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectPage } from '../e2e/pages/connect-page.ts'
import { whyNoKeyring, withKeyring } from '../helpers/keyring.ts'
import { findSecrets, sentSecrets, startMarkedService, useSecrets } from '../helpers/planted-secrets.ts'
import { expect, test } from './fixtures.ts'
import { putClientInto } from './page-client.ts'

/** With a keyring, so that secrets pass through the keychain’s process; without one they stay in memory. */
const inKeyring = <T>(use: (env: NodeJS.ProcessEnv) => Promise<T>) =>
  whyNoKeyring() === null ? withKeyring('unlocked', ({ env }) => use(env)) : use({})

test('the desktop host writes none of its secrets anywhere', async ({ startDesktop, dataDir }) => {
  const service = await startMarkedService()
  try {
    await inKeyring(async ({ DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR }) => {
      const desktop = await startDesktop({ dataDir, env: { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } })
      const page = await desktop.window()
      const { tracing } = page.context()
      const har = join(dataDir, 'traffic.har')
      await tracing.startHar(har, { content: 'embed' })
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      const connect = connectPage(page)
      await connect.fillPassword(service.baseUrl, service.username, service.secrets.password)
      await connect.submit()
      await expect.poll(() => page.evaluate(() => location.hash)).not.toContain('connect')
      await putClientInto(page)
      const given = JSON.stringify({ baseUrl: service.baseUrl, secrets: service.secrets })
      await page.evaluate(`window.openRpc().then((rpc) => (${useSecrets.toString()})(rpc, ${given}))`)
      await tracing.stopHar()
      const texts = () => ({ output: desktop.stderr(), 'the page': said.join('\n') })
      const content = { 'the page itself': await page.content() }
      // While it runs, there are write-ahead logs; the HAR is in the folder, too.
      expect(findSecrets(service.secrets, [dataDir], { ...texts(), ...content })).toEqual([])
      await desktop.close()
      expect(findSecrets(service.secrets, [dataDir], texts())).toEqual([])
      expect(readFileSync(har, 'utf8').length).toBeGreaterThan(0)
      expect([...service.arrived].sort()).toEqual(sentSecrets)
    })
  } finally {
    await service.stop()
  }
})
