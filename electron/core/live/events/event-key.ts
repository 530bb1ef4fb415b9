import { hash } from 'node:crypto'
import type { ParsedDelivery } from './parse-delivery.ts'

/** What tells events apart: (kind, message id, status) of a dlr, (kind, message id) of a mo, the whole body of an odd one. */
export interface EventKey {
  /** Of the message id; of the body where there is none. */
  messageHash: number
  /** Tells the events of one message apart. */
  keyHash: number
  /** SHA-256 of the body of an odd delivery. */
  bodyHash: Buffer | null
}

/** The columns against which a hit of the hashes is confirmed. */
export interface KnownEvent {
  kind: string
  message_id: string | null
  status: string | null
  body_hash: Buffer | null
}

/** The first 48 bits of the SHA-256 of a text: fits a JavaScript integer. Hits must be confirmed against the text. */
export const hash48 = (text: string): number => Number.parseInt(hash('sha256', text).slice(0, 12), 16)

/** Hashes of the few statuses that a service writes. Bounded, since a sender may write any. */
const statusHashes = new Map<string, number>()
const statusHashesKept = 1_000

function statusHash(status: string): number {
  const known = statusHashes.get(status)
  if (known !== undefined) return known
  const made = hash48(`dlr ${status}`)
  if (statusHashes.size < statusHashesKept) statusHashes.set(status, made)
  return made
}

export function keyOf(parsed: ParsedDelivery, body: Uint8Array): EventKey {
  if (parsed.kind !== 'quarantined') {
    const keyHash = parsed.kind === 'dlr' ? statusHash(parsed.status) : 0
    return { messageHash: hash48(parsed.messageId), keyHash, bodyHash: null }
  }
  const bodyHash = hash('sha256', body, 'buffer')
  const keyHash = bodyHash.readUIntBE(0, 6)
  return { messageHash: parsed.messageId === null ? keyHash : hash48(parsed.messageId), keyHash, bodyHash }
}

/** True when `known` is the event that `parsed` (with its `key`) is another copy of. */
export function isSame(known: KnownEvent, parsed: ParsedDelivery, key: EventKey): boolean {
  if (known.kind !== parsed.kind) return false
  if (key.bodyHash) return known.body_hash?.equals(key.bodyHash) ?? false
  return known.message_id === parsed.messageId && known.status === parsed.status
}
