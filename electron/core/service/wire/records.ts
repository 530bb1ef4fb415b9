import * as z from 'zod'
import {
  analyticsOverviewSchema,
  billingSummarySchema,
  campaignSchema,
  contactSchema,
  dashboardSchema,
  errorCodeRecordSchema,
  messageSchema,
  ottMessageSchema,
  scheduledMessageSchema,
  templateSchema,
} from '../../../contract/domain.ts'
import { fieldsOf, number, recordLike, recordOf, requiredText, text } from './fields.ts'
import { notAnError, notAnErrorOfMessage } from './message-text.ts'

/** The records of the spec, each under the name of its section there. */
export const campaignWire = recordLike(campaignSchema)
export const contactWire = notAnError.pipe(recordLike(contactSchema))
export const templateWire = notAnError.pipe(recordLike(templateSchema))
/** Also for GET /messages, whose items the spec doesn't show. */
export const messageWire = recordLike(messageSchema)
export const ottMessageWire = notAnErrorOfMessage.pipe(recordLike(ottMessageSchema))
export const scheduledMessageWire = recordLike(scheduledMessageSchema)
/** `code` may be a number; it is compared as text. Records are found by code, so the id is optional. */
export const errorCodeWire = recordLike(errorCodeRecordSchema, {
  code: requiredText.refine((code) => code.trim() !== '', 'fault.empty'),
})

/** Rejects an object with none of its fields: an error text with status 200, another record. */
function figures<Of extends z.ZodObject>(schema: Of, own?: z.ZodRawShape) {
  const fields = fieldsOf(schema, own)
  return z
    .looseObject({})
    .refine((value) => Object.keys(fields).some((name) => name in value), 'fault.noneOfFields')
    .pipe(recordOf(fields)) as unknown as z.ZodType<z.infer<Of>>
}

const currencyWire = z.object({
  currency: text.transform((name) => name?.trim() || null),
  revenue: number,
  cost: number,
})
/** Also an object by currency, or one row. */
function currencyRows(given: unknown): unknown[] {
  if (Array.isArray(given)) return given
  const byName = Object(given) as Record<string, unknown>
  if ('currency' in byName) return [byName]
  return Object.entries(byName).map(([currency, row]) => ({ currency, ...(Object(row) as object) }))
}
export const billingSummaryWire = figures(billingSummarySchema, {
  by_currency: z
    .unknown()
    .transform((given) => currencyRows(given).flatMap((row) => currencyWire.safeParse(row).data ?? [])),
})
export const analyticsOverviewWire = figures(analyticsOverviewSchema)
export const dashboardWire = figures(dashboardSchema)
