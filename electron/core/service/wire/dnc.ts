import * as z from 'zod'
import { type DncEntry, dncEntrySchema } from '../../../contract/domain.ts'
import { recordLike, recordOf, text } from './fields.ts'
import { reportsError } from './message-text.ts'

const dncEntryWire = recordLike(dncEntrySchema)

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/**
 * An entry of the list. Each record is one: a lost entry could be a number that gets called. The number may have another usual name; an
 * object or list there is kept as JSON, whose numbers block. Without any it is empty; a bare text counts as the number.
 */
export const listedDncEntryWire: z.ZodType<DncEntry> = z.preprocess(
  (record) => {
    if (!isObject(record) || Array.isArray(record)) return { phone_number: record }
    const given = record as Record<string, unknown>
    const number =
      given['phone_number'] ?? given['phone'] ?? given['number'] ?? given['msisdn'] ?? given['email']
    return { ...given, phone_number: isObject(number) ? JSON.stringify(number) : number }
  },
  recordLike(dncEntrySchema, { phone_number: text.transform((number) => number ?? '') }),
)

/** Also as a text or a bit. */
function verdictOf(value: unknown): unknown {
  const said = String(value).trim().toLowerCase()
  return said === 'true' || said === '1' ? true : said === 'false' || said === '0' ? false : value
}

/** “Not blocked” beside an error may only mean that it couldn't look. “Blocked” counts in any case. */
const trustedVerdict = z
  .unknown()
  .refine(
    (body) => !reportsError(body) || verdictOf((body as Record<string, unknown>)['is_blocked']) === true,
    'fault.reportsError',
  )

/** GET /dnc/check. The spec shows no `entry` for a clear number: anything that isn't an entry is read as none. */
export const dncCheckWire = trustedVerdict.pipe(
  recordOf({
    is_blocked: z.preprocess(verdictOf, z.boolean('fault.notBoolean')),
    entry: z
      .unknown()
      .optional()
      .transform((entry) => dncEntryWire.safeParse(entry).data ?? null),
  }),
)
