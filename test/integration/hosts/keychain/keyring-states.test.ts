import { afterEach, describe, expect, test } from 'vitest'
import { errorText } from '#electron/contract/errors.ts'
import type { SecretsState } from '#electron/core/ports.ts'
import { createKeychain } from '#electron/hosts/keychain/create-keychain.ts'
import { createNodeChannel } from '#electron/hosts/keychain/node-channel.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { type Keyring, type KeyringState, whyNoKeyring, withKeyring } from '../../../helpers/keyring.ts'

const whyNot = whyNoKeyring()
if (whyNot !== null) console.log(`Skipped: real keyring tests, ${whyNot}.`)

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Leaves room for a busy machine: a deadline that is too short would answer KEYCHAIN_TIMEOUT instead of the right code. */
function open(keyring: Keyring, deadlineMs = 30_000) {
  const entries: LogEntry[] = []
  const keychain = createKeychain({
    spawn: () => createNodeChannel(keyring),
    service: 'switchboard-test',
    clock: systemClock,
    log: createLog((entry) => entries.push(entry), 'keychain'),
    deadlineMs,
  })
  stops.push(keychain.stop)
  return { ...keychain, entries }
}

type Unusable = Exclude<SecretsState, { kind: 'keychain' }>['code']
const unusable: [KeyringState, Unusable, RegExp, RegExp][] = [
  ['no library', 'KEYCHAIN_NO_LIBRARY', /Failed to load keytar/, /libsecret-1-0 isn’t installed/],
  ['no bus', 'KEYCHAIN_NO_BUS', /Cannot autolaunch D-Bus/, /No desktop session found/],
  ['bus gone', 'KEYCHAIN_NO_BUS', /Could not connect/, /No desktop session found/],
  ['no provider', 'KEYCHAIN_NO_PROVIDER', /not provided by any/, /No keychain service is running/],
  ['no login collection', 'KEYCHAIN_NO_COLLECTION', /collection\/login/, /no default keyring/],
  ['locked', 'KEYCHAIN_LOCKED', /locked collection/, /is locked/],
  ['wrong password', 'KEYCHAIN_LOCKED', /locked collection/, /is locked/],
  ['daemon stopped', 'KEYCHAIN_TIMEOUT', /^$/, /didn’t respond within 3 seconds/],
]

describe.skipIf(whyNot !== null)('a real keyring', () => {
  test.each(unusable)('%s: every call answers %s', (state, code, detail, text) =>
    withKeyring(state, async (keyring) => {
      const keychain = open(keyring, state === 'daemon stopped' ? 400 : undefined)
      const expected = { kind: 'memory', code, detail: expect.stringMatching(detail) as string }
      expect(await keychain.probe()).toEqual(expected)
      await expect(keychain.get('stored')).rejects.toMatchObject({ name: 'AppError', code })
      expect(await keychain.set('fresh', 'kept in memory')).toEqual(expected)
      expect(await keychain.get('fresh')).toBe('kept in memory')
      expect(await keychain.delete('fresh')).toEqual({ removed: false, state: expected })
      expect(await keychain.state()).toEqual(expected)
      expect(errorText(code)).toMatch(text)
      expect(JSON.stringify(keychain.entries)).not.toContain('kept in memory')
    }),
  )

  test('unlocked: keeps a secret beyond its process, and its removal too', () =>
    withKeyring('unlocked', async (keyring) => {
      const first = open(keyring)
      expect(await first.probe()).toEqual({ kind: 'keychain' })
      expect(await first.set('token', 'sécret 🔑')).toEqual({ kind: 'keychain' })
      await first.stop()
      await keyring.restartUnlocked()
      const second = open(keyring)
      expect(await second.get('token')).toBe('sécret 🔑')
      expect(await second.delete('token')).toEqual({ removed: true })
      expect(await open(keyring).get('token')).toBeNull()
    }))

  test('continues unnoticed after the daemon restarts between two calls', () =>
    withKeyring('unlocked', async (keyring) => {
      const keychain = open(keyring)
      await keychain.set('token', 'stored')
      await keyring.restartUnlocked()
      expect(await keychain.get('token')).toBe('stored')
      await keyring.restartUnlocked()
      expect(await keychain.set('token', 'newer')).toEqual({ kind: 'keychain' })
    }))

  test('recovers when a hung daemon runs again', () =>
    withKeyring('daemon stopped', async (keyring) => {
      const keychain = open(keyring, 1_500)
      expect(await keychain.set('token', 'late')).toMatchObject({ code: 'KEYCHAIN_TIMEOUT' })
      keyring.resume()
      // On a busy machine a short call may time out before its process starts.
      await expect.poll(() => keychain.probe()).toEqual({ kind: 'keychain' })
      expect(await open(keyring).get('token')).toBe('late')
    }))
})
