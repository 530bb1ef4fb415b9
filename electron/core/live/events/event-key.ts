import { hash } from 'node:crypto'
import { hash48 } from '../../../lib/hash48.ts'
import { isUnnamed, type ParsedDelivery } from './parse-delivery.ts'

/**
 * Identifies an event: (kind, message id, status) of a dlr, (kind, message id, text and sender) of a mo, the whole body of a
 * quarantined delivery.
 */
export interface EventKey {
  /** Hash of the message ID, or of the body without one. */
  messageHash: number
  /** Distinguishes the events of one message. */
  keyHash: number
  /** SHA-256 of the body of a quarantined delivery. */
  bodyHash: Buffer | null
}

/** The columns that confirm a hash match. */
export interface KnownEvent {
  kind: string
  message_id: string | null
  status: string | null
  number: string | null
  content: string | null
  verdict: string
  body_hash: Buffer | null
}

/** Cached hashes of statuses. Bounded, since a sender may write any status. */
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

/**
 * Whether `parsed`, with its `key` and `verdict`, is a duplicate of `known`. A sender that reuses a message ID for another text sends a new
 * message: it may be an opt-out. Anyone may have sent an unsigned one, so the text tells nothing between a signed and an unsigned one.
 */
export function isSame(known: KnownEvent, parsed: ParsedDelivery, key: EventKey, verdict: string): boolean {
  // Rather one "STOP" twice than a second one lost.
  if (known.kind !== parsed.kind || isUnnamed(parsed)) return false
  if (key.bodyHash) return known.body_hash?.equals(key.bodyHash) ?? false
  if (known.message_id !== parsed.messageId || known.status !== parsed.status) return false
  if (parsed.kind !== 'mo' || known.verdict !== verdict) return true
  return known.content === parsed.content && known.number === parsed.number
}
