import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { KeychainAnswer, KeychainRequest } from '#electron/hosts/keychain/channel.ts'
import { createKeychain } from '#electron/hosts/keychain/create-keychain.ts'
import { createNodeChannel } from '#electron/hosts/keychain/node-channel.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { entryUrl } from '#electron/lib/entry-url.ts'
import { createLog } from '#electron/lib/log.ts'
import { isAlive } from '../../../helpers/host-process.ts'
import { whyNoKeyring, withKeyring } from '../../../helpers/keyring.ts'

const whyNot = whyNoKeyring()
if (whyNot !== null) console.log(`Skipped: keychain process tests, ${whyNot}.`)

const commandLine = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')

/** IDs of the keychain processes that `parentPid` started. */
function keychainProcesses(parentPid: number): number[] {
  return readdirSync(`/proc/${parentPid}/task`)
    .flatMap((task) => readFileSync(`/proc/${parentPid}/task/${task}/children`, 'utf8').split(' '))
    .filter((pid) => pid !== '')
    .map(Number)
    .filter((pid) => commandLine(pid).includes('keychain-process'))
}

const threadNames = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).map((task) =>
    readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').trim(),
  )

const until = (condition: () => boolean) => expect.poll(condition, { interval: 10 }).toBe(true)

describe.skipIf(whyNot !== null)('the keychain process', () => {
  test('shows no secret and no inspector, and ends with its parent even in a hung call', () =>
    withKeyring('daemon stopped', async ({ env }) => {
      const channelUrl = new URL('../../../../electron/hosts/keychain/node-channel.ts', import.meta.url).href
      const script = `
        const { createNodeChannel } = await import(${JSON.stringify(channelUrl)})
        const channel = createNodeChannel()
        channel.post({ id: 1, op: 'set', service: 's', account: 'a', value: 'hush' + '-hush' })
        console.log('asked')`
      const parent = spawn(process.execPath, ['--inspect=127.0.0.1:0', '--input-type=module', '-e', script], {
        env: { ...env, NODE_OPTIONS: '--inspect-port=127.0.0.1:0' },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      await once(parent.stdout, 'data')
      await until(() => keychainProcesses(parent.pid!).length === 1)
      const pid = keychainProcesses(parent.pid!)[0]!
      const shown = commandLine(pid) + readFileSync(`/proc/${pid}/environ`, 'utf8')
      expect(shown).toContain('keychain-process')
      expect(shown).not.toMatch(/inspect|NODE_OPTIONS|hush/)
      // The call is in flight once libsecret's own bus thread exists.
      await until(() => threadNames(pid).includes('gdbus'))
      parent.kill('SIGKILL')
      await until(() => !isAlive(pid))
    }))

  test('is replaced unnoticed after a crash between two calls', () =>
    withKeyring('unlocked', async (keyring) => {
      const keychain = createKeychain({
        spawn: () => createNodeChannel(keyring),
        service: 'switchboard-test',
        clock: systemClock,
        log: createLog(() => {}, 'keychain'),
      })
      await keychain.set('token', 'stored')
      const [pid] = keychainProcesses(process.pid)
      process.kill(pid!, 'SIGSEGV')
      expect(await keychain.get('token')).toBe('stored')
      expect(keychainProcesses(process.pid)).not.toContain(pid)
      await keychain.stop()
      expect(keychainProcesses(process.pid)).toEqual([])
    }))

  test('works over parentPort in a utility process', () =>
    withKeyring('unlocked', async ({ env }) => {
      const parentPort = `process.parentPort = {
        on: (name, listener) => process.on(name, (data) => listener({ data })),
        postMessage: (message) => process.send({ viaParentPort: message }),
      }`
      const child = fork(entryUrl('keychain-process'), [], {
        env,
        execArgv: ['--import', `data:text/javascript,${encodeURIComponent(parentPort)}`],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      })
      const ask = async (request: KeychainRequest) => {
        child.send(request)
        const [message] = (await once(child, 'message')) as [{ viaParentPort: KeychainAnswer }]
        return message.viaParentPort
      }
      const about = { service: 'switchboard-test', account: 'token' }
      expect(await ask({ id: 1, op: 'set', value: 'stored', ...about })).toEqual({
        id: 1,
        ok: true,
        value: null,
      })
      expect(await ask({ id: 2, op: 'get', ...about })).toEqual({ id: 2, ok: true, value: 'stored' })
      expect(await ask({ id: 3, op: 'delete', ...about })).toEqual({ id: 3, ok: true, value: true })
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }))
})
