import type { Delivery, Span, SpanEnd } from '../listener/journal.ts'
import type { StoringState } from '../listener/protocol.ts'

export interface StoredDelivery extends Delivery {
  seq: number
  body: Buffer
}

export interface Extent {
  /** Lowest sequence stored; `lastSeq` + 1 when empty. */
  firstSeq: number
  /** Highest sequence ever given. */
  lastSeq: number
  /** Room taken by the deliveries. */
  bytes: number
}

/**
 * Where a relay keeps the deliveries of one inbox. `test/integration/relay/store-contract.ts` is what every store must
 * pass. Sequences rise by one; a missing number was dropped or lost.
 */
export interface RelayStore {
  /** Names the numbering. A store that starts over at 1 has another id. */
  readonly id: string
  /**
   * Resolves with their sequences once all are durable. Rejects with an `AppError` within 4 s when they are not
   * stored, so that the sender retries. Concurrent calls may share a commit.
   */
  append(deliveries: readonly Delivery[]): Promise<number[]>
  /** The next deliveries after `seq`, in order, at most `items`; at least one, even above `bytes`. */
  readAfter(seq: number, limit: { items: number; bytes: number }): Promise<StoredDelivery[]>
  /** Deletes everything up to `seq`, except the newest delivery. Returns how many were deleted. */
  dropUpTo(seq: number): Promise<number>
  extent(): Promise<Extent>
  /** Calls back after new deliveries became readable. Returns the unsubscribe. */
  onGrew(listener: () => void): () => void
  /** Whether the last attempt to store succeeded. */
  storing(): StoringState
  /** The relay accepts deliveries from now on. */
  beginListening(port: number): void
  endListening(reason: SpanEnd): void
  /** Sign of life, every few seconds. */
  touch(): void
  /** Listening periods that run or ended since, oldest first. */
  listening(sinceMs: number): Promise<Span[]>
  close(): Promise<void>
}
