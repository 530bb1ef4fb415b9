import { isPhrase } from '../../contract/phrases.ts'
import { AppError, isKeychainError, type KeychainCode } from '../../contract/errors.ts'
import type { SecretsState } from '../../core/ports.ts'

/**
 * Messages of keytar, libsecret, GLib, dbus-daemon and gnome-keyring. Linux: measured with gnome-keyring 42.1
 * and libsecret 0.20.5. macOS: texts of Apple's `SecCopyErrorMessageString`, not run here.
 */
const texts: readonly (readonly [RegExp, KeychainCode])[] = [
  [/cannot (autolaunch|spawn) .*(d-?bus|message bus)|dbus-launch/i, 'KEYCHAIN_NO_BUS'],
  [/^could not connect: |the connection is closed/i, 'KEYCHAIN_NO_BUS'],
  [/was not provided by any \.service files/i, 'KEYCHAIN_NO_PROVIDER'],
  [/disconnected from message bus without replying/i, 'KEYCHAIN_NO_PROVIDER'],
  [/does not exist at path .*\/collection\/|no such secret collection/i, 'KEYCHAIN_NO_COLLECTION'],
  [/(specified|default) keychain could not be found/i, 'KEYCHAIN_NO_COLLECTION'],
  [/locked collection|user interaction is not allowed/i, 'KEYCHAIN_LOCKED'],
  [/user name or passphrase you entered is not correct|user canceled/i, 'KEYCHAIN_LOCKED'],
  [/timeout was reached/i, 'KEYCHAIN_TIMEOUT'],
]

/**
 * Maps a keychain message to a `KEYCHAIN_*` error; unknown texts are `KEYCHAIN_FAILED`. @github/keytar hides
 * why its addon didn't load; on Linux libsecret is missing.
 */
export function keychainFault(text: string, platform: NodeJS.Platform = process.platform): AppError {
  const detail = text.replace(/\p{Cc}+/gu, ' ').trim()
  const code: KeychainCode =
    platform === 'linux' && /libsecret|failed to load keytar native addon/i.test(text)
      ? 'KEYCHAIN_NO_LIBRARY'
      : (texts.find(([pattern]) => pattern.test(text))?.[1] ?? 'KEYCHAIN_FAILED')
  return new AppError(code, { detail })
}

/** The store's state for a keychain error. Rethrows any other error. */
export function stateOf(error: unknown): SecretsState {
  if (!isKeychainError(error)) throw error
  const { detail } = error.data
  return {
    kind: 'memory',
    code: error.code,
    detail: isPhrase(detail) ? detail : String(detail ?? ''),
  }
}
