import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { teamNameSchema } from '../../../contract/live/team.ts'
import { digestOf } from '../../../lib/digest.ts'
import { type EntryReadings, readEntry } from '../../../lib/phone/entry-readings.ts'
import { isPhoneRegion } from '../../../lib/phone/parse-phone.ts'
import { eraseMark, mayErase } from '../../../listener/team-protocol.ts'

/** What consoles tell each other, as JSON. It travels as `proof.nonce:mark.text`. */
const idSchema = z.string().regex(/^[\w-]{1,80}$/)
const limits = { number: 500, evidence: 2_000 }
/** Most numbers of a `sent` entry. */
export const mostSent = 150
/** Longest value of a `value` entry, as JSON. */
export const valueLength = 40_000
/** Longest id of a message in a `sent` entry. */
const messageIdLength = 60
const by = { author: teamNameSchema, atMs: z.int().min(0).max(8.64e15) }
const entrySchema = z.discriminatedUnion('kind', [
  // A hold with further fields of a later version still holds.
  z.object({
    kind: z.literal('hold'),
    id: idSchema,
    /** As the sender wrote it, to be read with `country`: without one if it isn't known here. */
    number: z.string().min(1).max(limits.number),
    country: z
      .string()
      .max(10)
      .nullable()
      .transform((country) => (country !== null && isPhoneRegion(country) ? country : null)),
    evidence: z.string().max(limits.evidence),
    source: z.enum(['opt-out', 'possible-opt-out', 'by-hand', 'import']).catch('by-hand'),
    /** It doesn't block those who have the number beside their own. */
    ownOnly: z.boolean(),
    ...by,
  }),
  z.strictObject({ kind: z.literal('release'), hold: idSchema, ...by }),
  /** A console's turn to act on an alert, or that it did. */
  z.strictObject({ kind: z.literal('turn'), about: idSchema, console: idSchema, isDone: z.boolean(), ...by }),
  /** Who is here, and how many of all items its outbox has sent. It isn't in the log: the relay forgets it. */
  z.object({
    kind: z.literal('here'),
    console: idSchema,
    connection: z.string().max(100),
    sent: z.int().min(0),
    total: z.int().min(0),
    ...by,
  }),
  /** Asks colleagues to erase a number too, sealed with the team key. `isHeld`: each keeps it on hold as a hash. */
  z.strictObject({
    kind: z.literal('erase'),
    id: idSchema,
    number: z.string().max(100),
    isHeld: z.boolean(),
    ...by,
  }),
  /** The answer of a colleague, who erased the number or keeps it. */
  z.strictObject({
    kind: z.literal('erased'),
    id: idSchema,
    erase: idSchema,
    isErased: z.boolean(),
    ...by,
  }),
  /** Messages of one template that the service accepted within a minute. */
  z.object({
    kind: z.literal('sent'),
    id: idSchema,
    /** Their ids at the service. */
    template: z.string().min(1).max(200),
    channel: z.string().max(200),
    /** Digits of each number, 0 for an erased one, and the id of its message, null for a long one. */
    to: z
      .array(z.tuple([z.int().min(0).max(1e15), z.string().max(messageIdLength).nullable()]))
      .min(1)
      .max(mostSent),
    ...by,
  }),
  /**
   * Who handles a conversation, a note, saved filter or alert rule; null removes it. The last one of a key counts. `of`: its kind, which may
   * be of a later version. `clockMs`: hybrid logical clock, after all that the author had seen.
   */
  z.object({
    kind: z.literal('value'),
    id: idSchema,
    of: idSchema,
    key: z.string().max(600),
    value: z.unknown(),
    clockMs: z.int().min(0).max(8.64e15),
    ...by,
  }),
])
const anyKind = z.object({ kind: z.string() })
export const teamKinds: ReadonlySet<string> = new Set(
  entrySchema.options.map(({ shape }) => shape.kind.value),
)
export type TeamEntry = z.infer<typeof entrySchema>
export type TeamHold = Extract<TeamEntry, { kind: 'hold' }>
export type TeamTurn = Extract<TeamEntry, { kind: 'turn' }>
export type TeamHere = Extract<TeamEntry, { kind: 'here' }>
/** What is stored until the log has it. */
export type StoredEntry = Exclude<TeamEntry, TeamTurn | TeamHere>
/** Of a kind that this version doesn't know: kept for a later one, and for a log that lost it. */
interface LaterEntry {
  kind: 'later'
  id: string
}
export type KnownEntry = StoredEntry | LaterEntry

/** The text of an entry, with what is too long cut. */
export function textOf(entry: TeamEntry): string {
  if (entry.kind === 'hold') {
    const { number, evidence } = entry
    return JSON.stringify({
      ...entry,
      number: number.slice(0, limits.number),
      evidence: evidence.slice(0, limits.evidence),
    })
  }
  if (entry.kind !== 'sent') return JSON.stringify(entry)
  const to = entry.to.map(([digits, id]) => [digits, id !== null && id.length > messageIdLength ? null : id])
  return JSON.stringify({ ...entry, to })
}

/** One id for the same message at every console. */
export const messageDigest = (messageId: string, number: string, content: string): string =>
  digestOf(JSON.stringify([messageId, number, content]))

const secretOf = (nonce: string, key: string) =>
  createHmac('sha256', key).update(`erase ${nonce}`).digest('base64url')
function withNonce(text: string, key: string): string {
  const nonce = randomBytes(9).toString('base64url')
  return `${nonce}:${eraseMark(secretOf(nonce, key))}.${text}`
}
const proofOf = (body: string, key: string) => createHmac('sha256', key).update(body).digest('base64url')

/**
 * An entry as it is posted. The proof is made with the team key, which the relay doesn't have. The nonce tells posts of one entry apart: at
 * a restored relay, one may come to stand where a console has read another.
 */
export function signed(text: string, key: string): string {
  const body = withNonce(text, key)
  return `${proofOf(body, key)}.${body}`
}

const sealing = 'aes-256-gcm'
const sealLengths = { nonce: 12, tag: 16 }
/** Of the longest number, so that the length says nothing. */
const sealedDigits = 15
const sealKey = (key: string) => createHmac('sha256', key).update('numbers').digest()

/** A number that only those with the team key can read. */
export function sealed(digits: number, key: string): string {
  const nonce = randomBytes(sealLengths.nonce)
  const cipher = createCipheriv(sealing, sealKey(key), nonce)
  const text = cipher.update(String(digits).padStart(sealedDigits, '0'))
  return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** Null for what wasn't sealed with this key. */
export function unsealed(text: string, key: string): number | null {
  const { nonce, tag } = sealLengths
  const bytes = Buffer.from(text, 'base64url')
  try {
    const decipher = createDecipheriv(sealing, sealKey(key), bytes.subarray(0, nonce))
    decipher.setAuthTag(bytes.subarray(-tag))
    return Number(decipher.update(bytes.subarray(nonce, -tag)).toString() + decipher.final().toString())
  } catch {
    return null
  }
}

/** Posts a hold that came without proof again, still without. */
export const unsigned = (text: string, key: string): string => `.${withNonce(text, key)}`

/** With which the relay erases a posted entry; null for one that nobody with the team key posted. */
export function eraseSecret(posted: string, key: string): string | null {
  const [nonce = ''] = posted.split('.', 2)[1]?.split(':') ?? []
  const secret = secretOf(nonce, key)
  return mayErase(posted, secret) ? secret : null
}

function isProven(proof: string, body: string, key: string): boolean {
  const right = Buffer.from(proofOf(body, key))
  const given = Buffer.from(proof)
  return given.length === right.length && timingSafeEqual(given, right)
}

const unverified = 'unverified-'
/** The id of a hold whose text comes without proof. */
export const unverifiedId = (text: string): string => unverified + digestOf(text)
export const isUnverifiedId = (holdId: string): boolean => holdId.startsWith(unverified)

export interface FoundEntry {
  entry: TeamEntry | LaterEntry
  /** False for a hold without proof: it counts, but is shown as such. */
  isProven: boolean
  text: string
  /** What a hold's number may mean. */
  read: EntryReadings
}

/**
 * Reads a posted entry; null for an unreadable one, or one without proof that isn't a hold. A hold without proof counts, under an id of
 * its own: anyone could give it the id of another hold.
 */
export function readPosted(posted: string, key: string): FoundEntry | null {
  const [, proof, body, text] = /^([^.]*)\.([^.]*\.([^]*))$/.exec(posted) ?? []
  if (proof === undefined || body === undefined || text === undefined) return null
  const proven = isProven(proof, body, key)
  try {
    const json: unknown = JSON.parse(text)
    const { kind } = anyKind.parse(json)
    const entry = teamKinds.has(kind)
      ? entrySchema.parse(json)
      : { kind: 'later' as const, id: digestOf(text) }
    if (entry.kind !== 'hold')
      return proven ? { entry, isProven: true, text, read: { digits: null, readings: [] } } : null
    const read = readEntry(entry.number, entry.country)
    return { entry: proven ? entry : { ...entry, id: unverifiedId(text) }, isProven: proven, text, read }
  } catch {
    return null
  }
}
