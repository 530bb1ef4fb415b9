import type { Phrase, Said } from '../contract/phrases.ts'
import type { ErrorCode, ErrorData } from '../contract/errors.ts'
import type { LogEvents } from '../threads/calls.ts'

/** A signing secret. `value` is used as UTF-8 bytes and only ever becomes the key. */
export interface ListenerSecret {
  id: string
  label: string
  value: string
  /** Signatures are refused from then on, milliseconds since the Unix epoch. Absent: never. */
  retireAtMs?: number | undefined
}

/** Bounds what one sender can cost. The service gives up after 5 s, so every timeout is shorter. */
export interface ListenerLimits {
  /** Spec events are a few hundred bytes; long `mo` texts stay far below. */
  bodyBytes: number
  headerBytes: number
  /** Above this, the connection idle for longest closes (`slots.ts`). */
  maxConnections: number
  /** For the headers, and for the whole request from its first byte. */
  requestTimeoutMs: number
  keepAliveTimeoutMs: number
  /** A delivery not stored within this time gets 503, so the service retries. */
  storeDeadlineMs: number
  /** Most bytes of bodies waiting for the disk; above it deliveries get 503 at once. */
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

export interface ListenerPlace {
  /** Address to bind. Anything but loopback needs a secret. */
  host: string
  /** 0 takes any free port (tests). */
  port: number
  /** Matched exactly, without a query. */
  path: string
  /** Stores unsigned deliveries, marked as such. Loopback only: elsewhere anyone could send them. */
  allowUnsigned: boolean
  /** Opens no port: deliveries come from the relay only. */
  noPort?: boolean
  /** Paths of the other saved connections, open or not: a request there was not meant for this one. */
  otherPaths?: readonly string[]
}

export interface ListenerStart extends ListenerPlace {
  /** Its folder's parent must exist. */
  journalFile: string
  /** Reports a damaged journal as `damaged`: its repair would delay the other connections' acknowledgements. */
  leaveDamaged?: boolean
  secrets: ListenerSecret[]
  /** A saved secret can't be read: unmatched signatures get 503 instead of 401. */
  secretsUnread?: boolean
  relay?: RelayFeedConfig | null
  limits?: Partial<ListenerLimits>
  /**
   * Highest sequence number in use (the projector's watermark). New ones are above it even after the
   * journal was lost; otherwise the projector would skip new deliveries.
   */
  continueAfterSeq?: number
}

export interface JournalPrune {
  afterSeq: number
  upToSeq: number
  beforeMs: number
  keep: readonly number[]
}

/** What was wrong with the journal file at opening. */
export interface JournalLoss {
  asideFile: string | null
  lost: Phrase
}

export type ListenerStarted =
  | {
      kind: 'listening'
      address: string
      port: number
      path: string
      sinceMs: number
      lastSeq: number
      journalLoss?: JournalLoss
    }
  | { kind: 'no-port'; lastSeq: number; journalLoss?: JournalLoss }
  | { kind: 'refused'; code: ErrorCode; data: ErrorData }
  | { kind: 'damaged' }

/** Why a request was refused. */
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

export interface RefusalSample {
  id: string
  atMs: number
  /** HTTP status; 0 when the socket was closed without an answer. */
  status: number
  reason: RefusalReason
  remote: string
  method: string
  path: string
  /** Bytes of body read, null when it was not read. */
  sizeBytes: number | null
}

/** How a signature was written when not as 64 lowercase hex digits. `decorated`: with prefix, quotes or blanks. */
export type ReceivedForm = 'as-is' | 'decorated' | 'upper-case' | 'base64'

/** How the sender must have used a stored secret. */
export type SecretForm = 'as-is' | 'without-blanks' | 'hex-decoded' | 'base64-decoded'

/** The stored secret behind a refused signature, and how the request differs from a valid one. */
export interface RefusalMatch {
  secretId: string
  received: ReceivedForm
  secret: SecretForm
  /** Set when the secret is retired. */
  retiredAtMs: number | null
}

export interface RefusalDetail extends RefusalSample {
  /** Without credentials. */
  headers: [name: string, value: string][]
  /** First 2,048 bytes, null when the body was not read. */
  bodyHex: string | null
  /** First 12 digits; in full when it is no signature. */
  receivedSignature: string | null
  /** First 12 digits of each stored secret's signature for the body as it arrived; empty without a body. */
  computed: { secretId: string; signatureStart: string; isSame: boolean; retiredAtMs: number | null }[]
  match: RefusalMatch | null
}

export type StoringState =
  | { kind: 'storing' }
  | { kind: 'not-storing'; code: ErrorCode; data: ErrorData; sinceMs: number }

/** A relay inbox to read. */
export interface RelayFeedConfig {
  /** `https:`, or `http:` on this computer; without the feed's path. */
  url: string
  inbox: string
  token: string
}

/** Why a relay is not read until a person acts. */
export type FeedRefusal =
  | 'insecure-url'
  | 'token'
  | 'revoked'
  | 'other-inbox'
  | 'ahead'
  | 'replaced'
  | 'version'
  | 'not-a-relay'

export interface RelayFeedStatus {
  state: 'connecting' | 'connected' | 'refused' | 'unreachable'
  refusal: FeedRefusal | null
  /** Why it is unreachable. */
  detail: Said | null
  retryAtMs: number | null
  /** Deliveries at the relay that are not stored yet. */
  behind: number
  /** Stored since the start. */
  received: number
  /** With a wrong signature since the start. Not stored. */
  refusedSignatures: number
  lastDeliveryMs: number | null
  /** Where the service delivers to this inbox, as the relay said. */
  webhookUrl: string | null
}

/** Counts since the thread started. */
export interface ListenerStats {
  /** Stored and answered 200. */
  accepted: number
  /** Of `accepted`: without a signature. */
  unsigned: number
  /** With a valid signature, as they arrived: not what waited at a relay. */
  verified: number
  /** Stored, by matching secret. */
  bySecret: Record<string, { count: number; lastMs: number }>
  /** Answered 503. */
  notStored: number
  refused: Partial<Record<RefusalReason, number>>
  refusedTotal: number
  lastRefusalReason: RefusalReason | null
  /** Rejected because no secret made the signature, without those stored since. */
  unproven: number
  lastDeliveryMs: number | null
  storing: StoringState
}

/** Calls from the core to the listener thread. */
export interface ListenerFunctions {
  /** Stops first if it runs. When only the port is unavailable, the journal stays open. */
  start(config: ListenerStart): Promise<ListenerStarted>
  /** Repairs a damaged journal that no listener has open. Returns what was lost. Throws an `AppError`. */
  repair(config: Pick<ListenerStart, 'journalFile' | 'continueAfterSeq'>): JournalLoss | null
  /**
   * Moves the listener after committing what is open. If the new place is unavailable, it has no port: the
   * service knows one address, so another would only look as if it worked.
   */
  reconfigure(place: ListenerPlace): Promise<ListenerStarted>
  /** Before sleep: ends the span. */
  suspend(): void
  /** After sleep: reconnects to its own port, reopens it if nothing answers, begins a span. Null when not listening. */
  wake(): Promise<ListenerStarted | null>
  /** Replaces all secrets from the next request on. Rejected deliveries that they prove are stored. */
  setSecrets(secrets: ListenerSecret[], secretsUnread?: boolean): void
  /** Reads this relay from now on, or none. A refused one is tried again. */
  setRelay(relay: RelayFeedConfig | null): void
  /** Connects to the relay now. */
  retryRelay(): void
  stats(): ListenerStats
  /** See `openJournal`; null while no journal is open. Throws an `AppError`. */
  prune(range: JournalPrune): { deleted: number; nextSeq: number | null } | null
  /** See `openJournal`; null while no journal is open. Throws an `AppError`. */
  erase(seqs: readonly number[]): number | null
  /** See `openJournal`; true while no journal is open. */
  truncateLog(): boolean
  /** Newest first, at most 2,000. */
  refusals(): RefusalSample[]
  /** One refusal compared with today's secrets; null when it was dropped. */
  refusal(id: string): RefusalDetail | null
  /** Commits and answers open requests, then closes all sockets and the journal. `reason` ends the span. */
  stop(reason?: 'closed' | 'switched' | 'restarted'): Promise<void>
}

/** Messages from the listener thread to the core; only `proxies` is answered. */
export interface ListenerEvents extends LogEvents {
  /** Deliveries up to `lastSeq` are readable. At most every 100 ms. */
  journalGrew(lastSeq: number): void
  /** At most once a second. */
  stats(stats: ListenerStats): void
  /** The full check, some time after opening, found damage. Deliveries are still stored. */
  journalDamaged(problems: string[]): void
  /** When storing fails or works again. */
  storing(state: StoringState): void
  /** At most four times a second. */
  relay(status: RelayFeedStatus): void
  /** Asked before each connect to a relay: proxies in the order to try; null connects directly. */
  proxies(origin: string): Promise<(string | null)[]>
}

const nothing = () => {}

/** Handles every event by ignoring it, and connects without a proxy. */
export const silentEvents: ListenerEvents = {
  journalGrew: nothing,
  stats: nothing,
  journalDamaged: nothing,
  storing: nothing,
  relay: nothing,
  proxies: () => Promise.resolve([null]),
  log: nothing,
}
