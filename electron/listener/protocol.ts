import type { ErrorCode, ErrorData } from '../contract/errors.ts'

/** A signing secret. `value` is used as UTF-8 bytes and goes nowhere but into the key. */
export interface ListenerSecret {
  id: string
  label: string
  value: string
  /** Signatures with it are refused from then on, milliseconds since the Unix epoch. Absent: never. */
  retireAtMs?: number | undefined
}

/** Bounds of what one sender can cost. The service gives up after 5 s, so every timeout is below. */
export interface ListenerLimits {
  /** Spec events are a few hundred bytes; a mo text of many parts stays far below. */
  bodyBytes: number
  headerBytes: number
  /** Open connections. Beyond this, the one without progress for longest closes (`slots.ts`). */
  maxConnections: number
  /** For the header section, and for the whole request, counted from its first byte. */
  requestTimeoutMs: number
  /** How long an idle connection is kept for the next request. */
  keepAliveTimeoutMs: number
  /** A delivery that could not be stored for this long is answered with 503, so that the service tries again. */
  storeDeadlineMs: number
  /** Deliveries waiting for the disk, in bytes of their bodies; above it new ones get 503 at once. */
  pendingBytes: number
}

export const defaultLimits: ListenerLimits = {
  bodyBytes: 64 * 1024,
  headerBytes: 8 * 1024,
  maxConnections: 512,
  requestTimeoutMs: 4_000,
  keepAliveTimeoutMs: 5_000,
  storeDeadlineMs: 3_000,
  pendingBytes: 32 * 1024 * 1024,
}

/** Where to listen and what to let in. */
export interface ListenerPlace {
  /** Address to bind. Anything but loopback needs a secret. */
  host: string
  /** 0 takes any free port (tests). */
  port: number
  /** The only path that takes deliveries. Matched exactly, so without a query. */
  path: string
  /** Store deliveries that carry no signature, marked as such. Only on loopback: elsewhere anyone could send them. */
  allowUnsigned: boolean
}

export interface ListenerStart extends ListenerPlace {
  /** The journal of the connection; its folder's parent must exist. */
  journalFile: string
  secrets: ListenerSecret[]
  /** True while a saved secret cannot be read: what fits none of `secrets` is then answered 503 instead of 401. */
  secretsUnread?: boolean
  limits?: Partial<ListenerLimits>
  /**
   * The highest sequence number that anybody has already used (the projector's watermark). New ones are above it even when
   * the journal was lost, or the projector would take new deliveries for old ones.
   */
  continueAfterSeq?: number
}

/** Which deliveries may go. */
export interface JournalPrune {
  afterSeq: number
  upToSeq: number
  /** Milliseconds since the Unix epoch. */
  beforeMs: number
  keep: readonly number[]
}

/** What was found when the journal was opened, when that was not simply the expected file. */
export interface JournalLoss {
  asideFile: string | null
  /** One sentence for the operator. */
  lost: string
}

export type ListenerStarted =
  | {
      kind: 'listening'
      address: string
      port: number
      path: string
      sinceMs: number
      /** Highest sequence number stored. */
      lastSeq: number
      journalLoss?: JournalLoss
    }
  | { kind: 'refused'; code: ErrorCode; data: ErrorData }

/** Why a request was turned away without storing anything. */
export type RefusalReason =
  | 'path'
  | 'method'
  | 'browser'
  | 'length'
  | 'too-large'
  | 'signature-missing'
  | 'signature-malformed'
  | 'signature-mismatch'
  | 'no-secret'
  | 'timeout'
  | 'headers-too-large'
  | 'malformed'
  | 'too-many-connections'

/** One refused request, for the list of them. */
export interface RefusalSample {
  id: string
  atMs: number
  /** HTTP status it was answered with; 0 when the socket was closed without an answer. */
  status: number
  reason: RefusalReason
  remote: string
  method: string
  path: string
  /** Bytes of the body that were read, null when it was not read. */
  sizeBytes: number | null
}

/** How a received signature was written where it is not 64 lowercase hexadecimal digits. `decorated`: with a prefix, quotes or blanks. */
export type ReceivedForm = 'as-is' | 'decorated' | 'upper-case' | 'base64'

/** How the other side must have used a secret that is stored here. */
export type SecretForm = 'as-is' | 'without-blanks' | 'with-line-end' | 'hex-decoded' | 'base64-decoded'

/** What was signed, compared with what arrived. `other-json`: the same values, written differently. */
export type BodyForm =
  | 'as-is'
  | 'without-byte-order-mark'
  | 'with-byte-order-mark'
  | 'without-blanks-around'
  | 'with-line-end'
  | 'other-line-ends'
  | 'other-character-set'
  | 'other-json'
  | 'other-key-order'

/** The stored secret that made a refused signature, and what differs from a delivery that is accepted. */
export interface RefusalMatch {
  secretId: string
  received: ReceivedForm
  secret: SecretForm
  body: BodyForm
  /** Set when the secret is no longer in use. */
  retiredAtMs: number | null
}

/** What in a refused request speaks of a change on its way. */
export type BodyHint =
  | 'compressed'
  | 'proxied'
  | 'not-json-type'
  | 'empty'
  | 'byte-order-mark'
  | 'broken-characters'
  | 'not-json'
  | 'not-compact'

/** Everything that is known of one refused request. */
export interface RefusalDetail extends RefusalSample {
  /** Without credentials of any kind. */
  headers: [name: string, value: string][]
  /** The first 2,048 bytes of the body, null when it was not read. */
  bodyHex: string | null
  /** The first 12 digits, or the whole where it is no signature. */
  receivedSignature: string | null
  /** What each stored secret gives for the body as it arrived, its first 12 digits; empty when no body was read. */
  computed: { secretId: string; signatureStart: string; isSame: boolean; retiredAtMs: number | null }[]
  match: RefusalMatch | null
  hints: BodyHint[]
}

/** Whether deliveries can be stored now. */
export type StoringState =
  { kind: 'storing' } | { kind: 'not-storing'; code: ErrorCode; data: ErrorData; sinceMs: number }

/** Counted since the thread started. */
export interface ListenerStats {
  /** Stored and answered 200. */
  accepted: number
  /** Of `accepted`: without a signature. */
  unsigned: number
  /** Of `accepted`: by the id of the secret that fits. */
  bySecret: Record<string, { count: number; lastMs: number }>
  /** Answered 503. */
  notStored: number
  refused: Partial<Record<RefusalReason, number>>
  refusedTotal: number
  lastRefusalReason: RefusalReason | null
  openSockets: number
  lastDeliveryMs: number | null
  /** From the end of the header section to the handing over of the 200. Milliseconds, upper bounds of buckets 19 % wide. */
  ackLatency: { count: number; p50Ms: number; p99Ms: number; maxMs: number }
  storing: StoringState
}

/** What the core may ask of the listener thread. */
export interface ListenerFunctions {
  /** Opens the journal and binds, after a stop when it already runs. When only the place cannot be had, the journal stays open. */
  start(config: ListenerStart): Promise<ListenerStarted>
  /**
   * Moves the listener. Commits what is under way first. When the new place cannot be had, it stays without a port: the
   * service knows one address, another would only look as if it worked.
   */
  reconfigure(place: ListenerPlace): Promise<ListenerStarted>
  /** The machine is about to sleep: ends the span. */
  suspend(): void
  /**
   * The machine is awake. Connects to its own port, listens again if nothing answers, then begins a span.
   * Null when it is not listening.
   */
  wake(): Promise<ListenerStarted | null>
  /** Replaces all secrets at once, for the next request on. */
  setSecrets(secrets: ListenerSecret[], secretsUnread?: boolean): void
  stats(): ListenerStats
  /** See `Journal.prune`; null while no journal is open. Throws an `AppError`. */
  prune(range: JournalPrune): { deleted: number; nextSeq: number | null } | null
  /** See `Journal.erase`; null while no journal is open. Throws an `AppError`. */
  erase(seqs: readonly number[]): number | null
  /** See `Journal.truncateLog`; true while no journal is open. */
  truncateLog(): boolean
  /** The last refused requests, newest first, at most 2,000. */
  refusals(): RefusalSample[]
  /** All of one of them, compared with the secrets of now; null when newer ones have taken its place. */
  refusal(id: string): RefusalDetail | null
  /** Commits and answers what is under way, closes every socket and the journal. The reason is noted for the holes. */
  stop(reason?: 'closed' | 'switched' | 'restarted'): Promise<void>
}

/** What the listener thread tells the core, without waiting. */
export interface ListenerEvents {
  /** Deliveries up to `lastSeq` can be read. At most every 20 ms. */
  journalGrew(lastSeq: number): void
  /** Four times a second while something changes. */
  stats(stats: ListenerStats): void
  /** The full check of the journal, some time after its opening, found it damaged. Deliveries are still taken. */
  journalDamaged(problems: string[]): void
  /** At once when storing fails or works again. */
  storing(state: StoringState): void
  log(level: 'info' | 'warn' | 'error', message: string, data?: Record<string, unknown>): void
}
