import * as z from 'zod'
import { textMap as textMapSchema } from '../../../contract/domain.ts'
import { campaignStatuses, messageStatuses } from '../../../contract/words.ts'
import { instantMs, isoTime } from '../../../lib/iso-time.ts'

/** Ids are strict, everything else lenient: a missing or unreadable field becomes null and never fails its record. */

const optional = <T>(read: (value: unknown) => T) => z.unknown().optional().transform(read)

/** A non-empty text, or an integer as text. Anything else makes the response unusable, as do broken characters: two ids may differ in them. */
const idText = z.union(
  [
    z
      .string()
      .regex(/^[^\ufffd]+$/)
      .max(512),
    z.int().transform(String),
  ],
  {
    error: (issue) => (issue.input === undefined ? 'fault.missing' : 'fault.notId'),
  },
)

/** A record's own id. */
export const id = <T extends string>() => idText.transform((value) => value as T)

/** Another record's id; null when absent. */
export const reference = <T extends string>() => optional((value) => readText(value) as T | null)

/** Required text; numbers become text. */
export const requiredText = z.union([z.string(), z.number().transform(String)], {
  error: (issue) => (issue.input === undefined ? 'fault.missing' : 'fault.notText'),
})

function readText(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}
export const text = optional(readText)

const knownWords: ReadonlySet<string> = new Set([...campaignStatuses, ...messageStatuses, 'active'])

/** Words of carriers for a status. */
const carrierWords: Partial<Record<string, string>> = {
  ...{ delivrd: 'delivered', acceptd: 'submitted', enroute: 'submitted', rejectd: 'rejected' },
  ...{ undeliv: 'failed', undelivered: 'failed', undeliverable: 'failed' },
}

/** A status that the spec names, in its spelling, also for a carrier's word; any other as it came. */
export function knownStatus(status: string): string {
  const usual = status.trim().toLowerCase()
  return knownWords.has(usual) ? usual : (carrierWords[usual] ?? status)
}
/** A status, read by `knownStatus`. */
export const statusWord = optional((value) => {
  const status = readText(value)
  return status === null ? null : knownStatus(status)
})

function readNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}
/** A number, or a numeric text, as some services write counts and money. */
export const number = optional(readNumber)

function readCount(value: unknown): number | null {
  const number = readNumber(value)
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null
}
/** An integer from 0, or its text. Others are no counts: a share, or `1.234` for 1,234. */
export const count = optional(readCount)

/** Required integer from 0, or its text. */
export const requiredCount = z.unknown().transform((value, context) => {
  const count = readCount(value)
  if (count !== null) return count
  context.addIssue({ code: 'custom', message: value === undefined ? 'fault.missing' : 'fault.notCount' })
  return z.NEVER
})

export const flag = optional((value) => (typeof value === 'boolean' ? value : null))

/** ISO 8601 UTC with milliseconds, read by `instantMs`; else null. */
export const instant = optional((value) => isoTime(instantMs(value)))

/** Object of texts; numbers and booleans become text, other values are dropped. The key `__proto__` stays a key. */
export const textMap = optional((value) => {
  const map: Record<string, string> = {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return map
  for (const [key, item] of Object.entries(value)) {
    const itemText = readText(item)
    if (itemText !== null)
      Object.defineProperty(map, key, {
        value: itemText,
        enumerable: true,
        writable: true,
        configurable: true,
      })
  }
  return map
})

/** Array of texts; other values are dropped. */
export const textList = optional((value) =>
  Array.isArray(value) ? value.flatMap((item) => readText(item) ?? []) : [],
)

export const anyList = optional((value): unknown[] => (Array.isArray(value) ? value : []))

type OurName<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<OurName<Tail>>}` : Name

/** The spec's fields under our names: `sent_count` is `sentCount`. */
export const ourNames = <Wire extends object>(wire: Wire) =>
  Object.fromEntries(
    Object.entries(wire).map(([name, value]: [string, unknown]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as { [Name in keyof Wire as OurName<Name>]: Wire[Name] }

/** How a field of our records is read, by its name and its schema. */
function readerOf(name: string, schema: z.core.$ZodType): z.ZodType {
  if (name === 'status') return statusWord
  if (name.endsWith('At')) return instant
  if (schema === textMapSchema) return textMap
  if (schema instanceof z.ZodArray) return anyList
  if (!(schema instanceof z.ZodNullable)) return name === 'id' ? id() : requiredText
  const inner = schema.unwrap()
  if (inner instanceof z.ZodBoolean) return flag
  if (inner instanceof z.ZodNumber) return inner.isInt ? count : number
  return text
}

/** Readers of the spec's fields for a schema of `contract/domain.ts`. `own` are other ones. */
export const fieldsOf = (schema: z.ZodObject, own: z.ZodRawShape = {}): z.ZodRawShape => ({
  ...Object.fromEntries(
    Object.entries(schema.shape).map(([name, field]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      readerOf(name, field),
    ]),
  ),
  ...own,
})

/** Reads a record of the spec as one of ours. */
export const recordLike = <Of extends z.ZodObject>(schema: Of, own?: z.ZodRawShape) =>
  recordOf(fieldsOf(schema, own)) as unknown as z.ZodType<z.infer<Of>>

export const recordOf = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).transform(ourNames)
