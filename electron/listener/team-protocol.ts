import { createHash } from 'node:crypto'
import * as z from 'zod'
import { jsonOf, relayIdSchema, seqSchema } from './feed-protocol.ts'

/**
 * The log that the consoles of an inbox share, at `/team` of their relay: they read on from their own position and post
 * entries, which the relay doesn't understand. Both sides import this file. See `electron/relay/README.md`.
 */

/** Rises with every change that an older side can't ignore. */
export const teamVersion = 1
export const teamPath = '/team'

/** Longest entry, in UTF-16 units. */
const entryLength = 48 * 1024
const hereLength = 1_000
/** Of one page, which may have one larger entry. */
export const teamPage = { items: 4_000, bytes: 1024 * 1024 }
/** Of one post. Proxies let this much pass. */
export const teamPost = { items: 500, bytes: 128 * 1024 }

const request = z.object({
  inbox: z.string().max(64),
  /** Names the numbering of `after`; absent before the first page. */
  relayId: relayIdSchema.optional(),
  after: z.coerce.number().pipe(seqSchema),
  /** Whether the answer may wait for entries, as long as one of the feed. */
  wait: z.stringbool(),
  /** What this console does, as an entry, for colleagues to read while it is here. */
  here: z.string().max(hereLength).optional(),
})
export type TeamRequest = z.infer<typeof request>

const page = z.object({
  /** Names the numbering. With another id, sequences start over. */
  relayId: relayIdSchema,
  /** Where the page begins: at 0 when the relay has another numbering, or less than the console has read. */
  after: seqSchema,
  /** Sequence of the last entry. */
  upTo: seqSchema,
  /** Newest sequence at the relay. */
  lastSeq: seqSchema,
  /** The last `here` of each valid token, and whether it asked at any relay of the store in the last 30 s. */
  here: z.array(z.object({ text: z.string().max(hereLength), isHere: z.boolean() })).max(1_000),
  /** False for a read-only token. */
  mayPost: z.boolean(),
  /** An erased one is empty. */
  entries: z.array(z.string()).max(teamPage.items),
})
export type TeamPage = z.infer<typeof page>

/** Entries to add, or sequences of those to erase, each with its secret. */
const post = z.union([
  z.array(z.string().min(1).max(entryLength)).min(1).max(teamPost.items),
  z.object({ erase: z.array(z.tuple([seqSchema, z.string().max(100)])).max(teamPost.items) }),
])
export const erasedSchema = z.object({ erased: z.int() })

/** What an entry says of the secret with which it may be erased: only those with the team key can make it. */
export const eraseMark = (secret: string): string =>
  createHash('sha256').update(secret).digest('base64url').slice(0, 22)

/** Whether the secret is that of an entry, `proof.nonce:mark.text`. */
export const mayErase = (entry: string, secret: string): boolean =>
  entry.split('.', 2)[1]?.split(':')[1] === eraseMark(secret)

export function teamQuery(asked: TeamRequest): URLSearchParams {
  const query = new URLSearchParams({ version: String(teamVersion) })
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, String(value))
  return query
}

/** What a console asks for; null when it can't be read. */
export const readTeamQuery = (query: URLSearchParams): TeamRequest | null =>
  request.safeParse(Object.fromEntries(query)).data ?? null

/** Null for what is no page. */
export const readTeamPage = (text: string): TeamPage | null => page.safeParse(jsonOf(text)).data ?? null

/** Null when it can't be read. */
export const readTeamPost = (text: string) => post.safeParse(jsonOf(text)).data ?? null
