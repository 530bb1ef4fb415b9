import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'
import { createFastClock, createFastDayClock } from '../../helpers/fast-clock.ts'
import type { ConsoleOptions } from '../../helpers/killed-console.ts'
import { fakeSecrets, startCore } from '../../helpers/start-core.ts'

/** A console in its own process, for `startKilledConsole`: its parent calls it. A file stands in for the keychain, which a crash leaves alone. */
const { dataDir, startWith, clock } = JSON.parse(process.argv[2]!) as ConsoleOptions
const keychain = join(dataDir, 'keychain')
const secrets = fakeSecrets()
if (existsSync(keychain))
  for (const line of readFileSync(keychain, 'utf8').trimEnd().split('\n')) {
    const [account, value] = JSON.parse(line) as [account: string, value: string | null]
    if (value === null) secrets.values.delete(account)
    else secrets.values.set(account, value)
  }
const { set, delete: remove } = secrets
const keep = (account: string, value: string | null) =>
  appendFileSync(keychain, `${JSON.stringify([account, value])}\n`)
secrets.set = (account, value) => {
  keep(account, value)
  return set(account, value)
}
secrets.delete = (account) => {
  keep(account, null)
  return remove(account)
}
const clocks = { fast: createFastClock, 'fast-day': createFastDayClock }
const { core } = await startCore({
  dataDir,
  secrets,
  sandbox: startWith.kind === 'sandbox' ? {} : null,
  config: { startWith },
  ...(clock && { clock: clocks[clock](20, { keepDeadlines: true }) }),
})
const port = { on: process.on.bind(process), postMessage: (frame: string) => process.send!(frame) }
core.serve(port as unknown as MessagePort)
