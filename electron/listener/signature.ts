import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { ListenerSecret } from './protocol.ts'

/** Lowercase, as the spec's Signature section says. A header sent twice arrives joined by a comma and fails here. */
const signatureShape = /^[0-9a-f]{64}$/

export type SignatureVerdict =
  | { ok: true; secretId: string }
  | { ok: false; reason: 'signature-missing' | 'signature-malformed' | 'signature-mismatch' | 'no-secret' }

export interface SignatureChecker {
  /** Compares the header value with the HMAC-SHA-256 of the raw `body` under every secret that is not retired at `nowMs`. */
  check(body: Uint8Array, signature: string | undefined, nowMs: number): SignatureVerdict
  /** All secrets, retired ones too, for diagnostics. */
  keys: readonly SigningKey[]
  /** True when no secret is in use. */
  empty(nowMs: number): boolean
}

/** A stored secret, for diagnostics. */
export interface SigningKey {
  id: string
  /** Refused from then on; Infinity: never. */
  retireAtMs: number
  /** Its bytes. They stay in this thread. */
  secret(): Buffer
  /** Lowercase hexadecimal HMAC-SHA-256 of `body` under `secret`, or under this one. */
  sign(body: Uint8Array, secret?: Buffer): string
}

interface Key {
  id: string
  key: KeyObject
  /** Writes the HMAC of the body that stands in `work` behind the first block, as hexadecimal digits, to `target`. */
  sign(work: Buffer, bodyBytes: number, target: Buffer): void
  retireAtMs: number
}

/** Bytes of one block and of the sum of SHA-256. */
const blockBytes = 64
const sumBytes = 32

/**
 * HMAC by its definition (RFC 2104 §2) over two plain sums: a third of the time of `createHmac`, which looks its algorithm up and makes
 * an object for each body (0.8 against 2.3 µs for 200 bytes).
 */
function createSigner(key: KeyObject): Key['sign'] {
  const bytes = key.export()
  const block = Buffer.alloc(blockBytes)
  ;(bytes.length > blockBytes ? hash('sha256', bytes, 'buffer') : bytes).copy(block)
  const inner = block.map((byte) => byte ^ 0x36)
  const outer = Buffer.alloc(blockBytes + sumBytes)
  outer.set(block.map((byte) => byte ^ 0x5c))
  return (work, bodyBytes, target) => {
    work.set(inner)
    const sum = hash('sha256', work.subarray(0, blockBytes + bodyBytes), 'binary')
    outer.write(sum, blockBytes, 'latin1')
    target.write(hash('sha256', outer, 'hex'), 'latin1')
  }
}

/** Room for a body of usual size; it grows to that of the largest one. */
const workBytes = 4 * 1024

/** Holds the secrets as they are worked with: a Buffer as key of `createHmac` halves the rate of the whole listener (measured). */
export function createSignatureChecker(secrets: readonly ListenerSecret[]): SignatureChecker {
  const keys: Key[] = secrets.map((secret) => {
    const key = createSecretKey(secret.value, 'utf8')
    return { id: secret.id, key, sign: createSigner(key), retireAtMs: secret.retireAtMs ?? Infinity }
  })
  let work = Buffer.alloc(workBytes)
  const computed = Buffer.alloc(2 * sumBytes)
  const received = Buffer.alloc(2 * sumBytes)
  const inUse = (nowMs: number) => keys.filter((key) => nowMs < key.retireAtMs)

  return {
    check(body, signature, nowMs) {
      if (signature === undefined) return { ok: false, reason: 'signature-missing' }
      if (signature.length !== 2 * sumBytes) return { ok: false, reason: 'signature-malformed' }
      received.write(signature, 'latin1')
      if (blockBytes + body.length > work.length) work = Buffer.alloc(blockBytes + body.length)
      work.set(body, blockBytes)
      let tried = false
      for (const { id, sign, retireAtMs } of keys) {
        if (nowMs >= retireAtMs) continue
        tried = true
        sign(work, body.length, computed)
        if (timingSafeEqual(computed, received)) return { ok: true, secretId: id }
      }
      // One that fits has this shape.
      if (!signatureShape.test(signature)) return { ok: false, reason: 'signature-malformed' }
      return { ok: false, reason: tried ? 'signature-mismatch' : 'no-secret' }
    },
    keys: keys.map(({ id, key, retireAtMs }) => ({
      id,
      retireAtMs,
      secret: () => key.export(),
      sign: (body, secret) =>
        createHmac('sha256', secret ?? key)
          .update(body)
          .digest('hex'),
    })),
    empty: (nowMs) => inUse(nowMs).length === 0,
  }
}
