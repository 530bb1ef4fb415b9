import * as z from 'zod'

/**
 * The feed between a relay and a console: the console asks `GET /feed` for what follows its position, again and again.
 * Both sides import this file. See `electron/relay/README.md`.
 */

/** Rises with every change that an older side can't ignore. */
export const feedVersion = 2
export const feedPath = '/feed'

/** Without deliveries, a relay answers after this long, so that a dead connection is noticed. */
export const feedWaitMs = 5_000
/** After an answer, a console knows for this long what the relay has. */
export const knownForMs = 2 * feedWaitMs
/** Of one page; a single delivery may be larger. */
export const feedBatch = { items: 2_000, bytes: 1024 * 1024 }
/** Longest page a console accepts. A full one with the longest headers fits. */
export const feedPageBytes = 48 * 1024 * 1024
/** Most listening periods in one page. */
export const feedPeriods = 1_000
/** The path of an inbox. A console appends it to the relay's address, so it must not change the host. */
export const inboxPath = /^\/[\w./~-]{1,200}$/

export const seqSchema = z.number().int().nonnegative()
/** A time that `Date` and the journal can hold. */
const ms = z.number().int().min(0).max(8.64e15)
/** JetStream stores name the stream and its creation: about 120 characters with the longest inbox. */
export const relayIdSchema = z.string().min(1).max(256)
const session = z.string().min(1).max(64)

const request = z.object({
  inbox: z.string().max(64),
  /** Names the numbering of `after`; absent before the first page. */
  relayId: relayIdSchema.optional(),
  /** Everything up to here is durable at the console. */
  after: z.coerce.number().pipe(seqSchema),
  /** Listening periods that ended before are not sent. */
  sinceMs: z.coerce.number().pipe(ms),
  /** From the page before. Without it, this console takes over the token, and the answer doesn't wait for deliveries. */
  session: session.optional(),
})
export type FeedRequest = z.infer<typeof request>

const period = z.object({ id: z.number().int(), startedMs: ms, aliveMs: ms, endedMs: ms.nullable() })
export type ListeningPeriod = z.infer<typeof period>

const delivery = z.object({
  receivedMs: ms,
  /** As kept by the listener, and the signature header. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** Base64 of the raw bytes as they arrived. */
  body: z.string(),
})

const page = z.object({
  /** Names the numbering. With another id, sequences start over. */
  relayId: relayIdSchema,
  session,
  /** Where the service delivers to this inbox. */
  path: z.string().regex(inboxPath),
  /** Newest sequence at the relay. */
  lastSeq: seqSchema,
  /** The page continues here. */
  after: seqSchema,
  /** When the relay could receive. A period may come again, longer. */
  periods: z.array(period).max(feedPeriods),
  /** Deliveries after `after` that the relay no longer has. Times are of the first and last, null when unknown. */
  gap: z.object({ toSeq: seqSchema, fromMs: ms.nullable(), toMs: ms.nullable() }).nullable(),
  /** Numbered one after another, from after the gap. */
  deliveries: z.array(delivery).max(feedBatch.items),
})
export type FeedPage = z.infer<typeof page>

export interface FeedGap {
  fromSeq: number
  toSeq: number
  fromMs: number | null
  toMs: number | null
}

export interface FeedDelivery {
  seq: number
  receivedMs: number
  headers: [name: string, value: string][]
  /** Raw bytes as they arrived. */
  body: Buffer
}

/** Of an answer without a page. After `stopping` and `storage` a console asks again, else it waits for a person. */
const refusal = z.object({
  reason: z.enum(['token', 'revoked', 'other-inbox', 'ahead', 'replaced', 'version', 'stopping', 'storage']),
})
export type RelayRefusal = z.infer<typeof refusal>['reason']

/** Undefined for what is no JSON. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function feedQuery(asked: FeedRequest): URLSearchParams {
  const query = new URLSearchParams({ version: String(feedVersion) })
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, String(value))
  return query
}

/** What a console asks for; null when it can't be read. */
export const readFeedQuery = (query: URLSearchParams): FeedRequest | null =>
  request.safeParse(Object.fromEntries(query)).data ?? null

/** Null for what is no page. */
export const readFeedPage = (text: string): FeedPage | null => page.safeParse(jsonOf(text)).data ?? null

/** Null for the answer of something else, such as a proxy. */
export const readFeedRefusal = (text: string): RelayRefusal | null =>
  refusal.safeParse(jsonOf(text)).data?.reason ?? null
