import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import * as z from 'zod'
import { AppError, isKeychainError, keychainReason } from '../../../contract/errors.ts'
import { type SigningKey, signingKeySchema } from '../../../contract/live/signed-exports.ts'
import { fingerprintOf } from '../../../jobs/signed-exports/signed-export-format.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { createSerial } from '../../../lib/serial.ts'
import type { SecretStore } from '../../ports.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'

/** Keychain account of the private key: PKCS #8, DER, base64. One per installation. */
export const signingKeyAccount = 'signed-exports/signing-key'

const settingsKey = 'signed-exports/key'
const earlierKept = 20

/** A key that can sign, without access to its private half. */
interface Signer {
  /** SPKI, DER. */
  publicKey: Buffer
  about: SigningKey
  /** Ed25519. */
  sign(text: Uint8Array): Buffer
}

/** The installation's key, made on first use: the private half in the keychain, its description in the settings. */
export function createSigningKeys(parts: {
  secrets: SecretStore
  settings: Pick<SettingsRepository, 'get' | 'put'>
  clock: Clock
}) {
  const { secrets, settings, clock } = parts
  const serial = createSerial()
  /** The key of this run, without a keychain. */
  let inMemory: Signer | null = null
  /** The key's description, without the keychain. Null before the first key. */
  const about = (): SigningKey | null => settings.get(settingsKey, signingKeySchema) ?? null

  function note(fingerprint: string, keptIn: SigningKey['keptIn']): SigningKey {
    const before = about()
    if (before?.fingerprint === fingerprint && before.keptIn === keptIn) return before
    const earlier =
      before && before.fingerprint !== fingerprint
        ? [before.fingerprint, ...before.earlier]
        : (before?.earlier ?? [])
    const key: SigningKey = {
      fingerprint,
      madeAt: isoTime(clock.now()),
      keptIn,
      earlier: [...new Set(earlier)].filter((one) => one !== fingerprint).slice(0, earlierKept),
    }
    settings.put(settingsKey, key)
    return key
  }

  function signerOf(privateKey: KeyObject, keptIn: SigningKey['keptIn']): Signer {
    const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
    return {
      publicKey,
      about: note(fingerprintOf(publicKey), keptIn),
      sign: (text) => sign(null, text, privateKey),
    }
  }

  async function make(): Promise<Signer> {
    const { privateKey } = generateKeyPairSync('ed25519')
    const state = await secrets.set(
      signingKeyAccount,
      privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    )
    const signer = signerOf(privateKey, state.kind)
    inMemory = state.kind === 'memory' ? signer : null
    return signer
  }

  async function signer(): Promise<Signer> {
    let stored: string | null = null
    try {
      stored = await secrets.get(signingKeyAccount)
    } catch (error) {
      if (!isKeychainError(error)) throw error
      if (inMemory) return inMemory
      if (about()?.keptIn === 'keychain')
        throw new AppError('SIGNING_KEY_UNREADABLE', {
          detail: keychainReason(error.code, String(error.data['detail'] ?? error.code)),
        })
    }
    const privateKey = stored === null ? null : privateKeyOf(stored)
    if (!privateKey) return inMemory ?? make()
    const { kind } = await secrets.state()
    return signerOf(privateKey, kind)
  }

  return {
    about,
    /**
     * The key. If its keychain entry is missing, creates a new one and lists the old fingerprint as an earlier key.
     * Rejects with SIGNING_KEY_UNREADABLE when the keychain can't be read: a new key would look like a forgery.
     */
    signer: (): Promise<Signer> => serial(signer),
  }
}

/** Null for anything but an Ed25519 key, such as an entry written by another program. */
function privateKeyOf(base64: string): KeyObject | null {
  try {
    const key = createPrivateKey({
      key: Buffer.from(z.base64().parse(base64), 'base64'),
      format: 'der',
      type: 'pkcs8',
    })
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}
