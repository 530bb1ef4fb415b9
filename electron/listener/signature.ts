import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { ListenerSecret } from './protocol.ts'

/** Lowercase, as the spec's Signature section says. A repeated header arrives joined by a comma and fails here. */
const signatureShape = /^[0-9a-f]{64}$/

type SignatureVerdict =
  | { ok: true; secretId: string }
  | { ok: false; reason: 'signature-missing' | 'signature-malformed' | 'signature-mismatch' | 'no-secret' }

export type SignatureChecker = ReturnType<typeof createSignatureChecker>

/** A stored secret, for diagnostics. */
export interface SigningKey {
  id: string
  /** Refused from then on; Infinity: never. */
  retireAtMs: number
  /** Its bytes. They stay in this thread. */
  secret(): Buffer
  /** Lowercase hex HMAC-SHA-256 of `body`, under `secret` if given. */
  sign(body: Uint8Array, secret?: Buffer): string
}

interface Key {
  id: string
  key: KeyObject
  retireAtMs: number
}

/** Imports each secret once as a KeyObject: a Buffer as key halves the listener's rate (measured). */
export function createSignatureChecker(secrets: readonly ListenerSecret[]) {
  const keys: Key[] = secrets.map((secret) => ({
    id: secret.id,
    key: createSecretKey(secret.value, 'utf8'),
    retireAtMs: secret.retireAtMs ?? Infinity,
  }))
  const received = Buffer.alloc(32)

  return {
    /** Checks the header against the HMAC-SHA-256 of the raw `body` under every secret not retired at `nowMs`. */
    check(body: Uint8Array, signature: string | undefined, nowMs: number): SignatureVerdict {
      if (signature === undefined) return { ok: false, reason: 'signature-missing' }
      if (!signatureShape.test(signature)) return { ok: false, reason: 'signature-malformed' }
      received.write(signature, 'hex')
      let tried = false
      for (const { id, key, retireAtMs } of keys) {
        if (nowMs >= retireAtMs) continue
        tried = true
        if (timingSafeEqual(createHmac('sha256', key).update(body).digest(), received))
          return { ok: true, secretId: id }
      }
      return { ok: false, reason: tried ? 'signature-mismatch' : 'no-secret' }
    },
    /** All secrets, retired ones too. */
    keys: keys.map(({ id, key, retireAtMs }): SigningKey => ({
      id,
      retireAtMs,
      secret: () => key.export(),
      sign: (body, secret) =>
        createHmac('sha256', secret ?? key)
          .update(body)
          .digest('hex'),
    })),
    /** True when no secret is in use. */
    empty: (nowMs: number) => keys.every((key) => nowMs >= key.retireAtMs),
  }
}
