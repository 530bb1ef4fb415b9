import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { ListenerSecret } from './protocol.ts'

/** Lowercase, as the spec's Signature section says. A header sent twice arrives joined by a comma and fails here. */
const signatureShape = /^[0-9a-f]{64}$/

export type SignatureVerdict =
  | { ok: true; secretId: string }
  | { ok: false; reason: 'signature-missing' | 'signature-malformed' | 'signature-mismatch' | 'no-secret' }

export interface SignatureChecker {
  /** Compares the header value with the HMAC-SHA-256 of the raw `body` under every secret that is not retired at `nowMs`. */
  check(body: Uint8Array, signature: string | undefined, nowMs: number): SignatureVerdict
  /** What each secret in use would have signed, for diagnostics. */
  compute(body: Uint8Array, nowMs: number): { secretId: string; signature: string }[]
  /** True when no secret is in use. */
  empty(nowMs: number): boolean
}

interface Key {
  id: string
  key: KeyObject
  retireAtMs: number
}

/** Holds the secrets as keys imported once: a Buffer as key halves the rate of the whole listener (measured). */
export function createSignatureChecker(secrets: readonly ListenerSecret[]): SignatureChecker {
  const keys: Key[] = secrets.map((secret) => ({
    id: secret.id,
    key: createSecretKey(secret.value, 'utf8'),
    retireAtMs: secret.retireAtMs ?? Infinity,
  }))
  const received = Buffer.alloc(32)
  const inUse = (nowMs: number) => keys.filter((key) => nowMs < key.retireAtMs)

  return {
    check(body, signature, nowMs) {
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
    compute: (body, nowMs) =>
      inUse(nowMs).map(({ id, key }) => ({
        secretId: id,
        signature: createHmac('sha256', key).update(body).digest('hex'),
      })),
    empty: (nowMs) => inUse(nowMs).length === 0,
  }
}
