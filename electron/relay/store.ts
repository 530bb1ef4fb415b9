import type { ListeningPeriod } from '../listener/feed-protocol.ts'
import type { Delivery, Span, SpanEnd } from '../listener/journal.ts'
import type { StoringState } from '../listener/protocol.ts'
import type { Documents } from './documents.ts'

export interface StoredDelivery extends Delivery {
  seq: number
  body: Buffer
}

export type StoredPeriod = ListeningPeriod & Pick<Span, 'endReason'>

/** What a relay holds on its own disk until its store takes it. */
export interface Backlog {
  /** Answered with 200 and not in the store. */
  deliveries: number
  /** Answered with 200 and lost from this disk: damaged, or gone at a start. */
  lost: number
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
  /** Names the numbering. A store that starts over at 1 has another id, also while it is open. */
  readonly id: string
  /**
   * Resolves with their sequences once all are durable; 0 for one that is numbered later. Rejects with an `AppError`
   * within 4 s when they are not stored, so that the sender retries. Concurrent calls may share a commit.
   */
  append(deliveries: readonly Delivery[]): Promise<number[]>
  /** The next deliveries after `seq`, in order, at most `items`; at least one, even above `bytes`. */
  readAfter(seq: number, limit: { items: number; bytes: number }): Promise<StoredDelivery[]>
  /** Deletes everything up to `seq`, except the newest delivery. Returns how many were deleted. */
  dropUpTo(seq: number): Promise<number>
  /**
   * Erases deliveries, except the newest one, for good. They are then read with an empty body, or are missing. Returns how many had one and
   * were allowed.
   */
  erase(seqs: readonly number[], isAllowed: (seq: number, body: Buffer) => boolean): Promise<number>
  /** `reach`: a sequence that should exist; a replicated store waits a moment for it. */
  extent(reach?: number): Promise<Extent>
  /** Highest sequence known here, at once. */
  lastSeq(): number
  /** Called when new deliveries are readable. Returns the unsubscribe. */
  onGrew(listener: () => void): () => void
  /** Whether the last attempt to store succeeded. */
  storing(): StoringState
  /** Null for a store that needs none. */
  backlog(): Backlog | null
  /** The relay accepts deliveries from now on. */
  beginListening(port: number): void
  endListening(reason: SpanEnd): void
  /** Sign of life, every few seconds. */
  touch(): void
  /** Listening periods that run or ended since, oldest first. */
  listening(sinceMs: number): Promise<StoredPeriod[]>
  close(): Promise<void>
}

/** Where a relay keeps everything. */
export interface Storage {
  documents: Documents
  openStore(inbox: string): Promise<RelayStore>
  close(): Promise<void>
}
