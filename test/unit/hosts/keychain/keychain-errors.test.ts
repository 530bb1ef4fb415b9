import { describe, expect, test } from 'vitest'
import texts from '#electron/contract/errors.en.json' with { type: 'json' }
import { AppError } from '#electron/contract/errors.ts'
import { keychainFault, stateOf } from '#electron/hosts/keychain/keychain-errors.ts'

describe('keychain messages', () => {
  test.each([
    ['linux', 'Failed to load keytar native addon, checked […]', 'KEYCHAIN_NO_LIBRARY'],
    ['linux', 'libsecret-1.so.0: cannot open shared object file', 'KEYCHAIN_NO_LIBRARY'],
    ['win32', 'Failed to load keytar native addon, checked […]', 'KEYCHAIN_FAILED'],
    ['linux', "Cannot find module 'keytar'", 'KEYCHAIN_FAILED'],
    ['linux', 'Cannot autolaunch D-Bus without X11 $DISPLAY', 'KEYCHAIN_NO_BUS'],
    ['linux', 'Could not connect: No such file or directory', 'KEYCHAIN_NO_BUS'],
    ['linux', 'The connection is closed', 'KEYCHAIN_NO_BUS'],
    [
      'linux',
      'The name org.freedesktop.secrets was not provided by any .service files',
      'KEYCHAIN_NO_PROVIDER',
    ],
    [
      'linux',
      'Object does not exist at path “/org/freedesktop/secrets/collection/login”',
      'KEYCHAIN_NO_COLLECTION',
    ],
    ['linux', 'Cannot create an item in a locked collection', 'KEYCHAIN_LOCKED'],
    ['darwin', 'User interaction is not allowed.', 'KEYCHAIN_LOCKED'],
    ['linux', 'Timeout was reached', 'KEYCHAIN_TIMEOUT'],
    ['win32', 'The stub received bad data.', 'KEYCHAIN_FAILED'],
  ] as const)('map %s "%s" to %s', (platform, text, code) => {
    expect(keychainFault(text, platform).code).toBe(code)
  })

  test('become a one-line detail', () => {
    expect(stateOf(keychainFault('Strange\n thing\0'))).toEqual({
      kind: 'memory',
      code: 'KEYCHAIN_FAILED',
      detail: 'Strange  thing',
    })
  })

  test('have a text for every state that says what was kept and what to do', () => {
    const found = Object.entries(texts).flatMap(([code, text]) =>
      code.startsWith('KEYCHAIN_') ? [text] : [],
    )
    expect(new Set(found).size).toBe(8)
    for (const text of found) expect(text).toMatch(/your sign-in stays in memory until you quit\. .+/i)
  })

  test('rethrows other errors', () => {
    expect(() => stateOf(new AppError('DISK_FULL'))).toThrow(AppError)
  })
})
