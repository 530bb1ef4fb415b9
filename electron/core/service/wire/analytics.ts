import * as z from 'zod'
import type { AnalyticsOverview, BillingSummary, Dashboard } from '../../../contract/domain.ts'
import { anyList, count, number, ourNames, text } from './fields.ts'

const currencyWire = z.object({
  currency: text.transform((name) => name?.trim() || null),
  revenue: number,
  cost: number,
})

const hasOneOf =
  (...names: string[]) =>
  (value: object) =>
    names.some((name) => name in value)

/** Rejects an object with none of its fields: an error text with status 200, another record. */
const figures = <T extends z.ZodRawShape>(shape: T) =>
  z
    .looseObject({})
    .refine(hasOneOf(...Object.keys(shape)), 'fault.noneOfFields')
    .pipe(z.object(shape))
    .transform(ourNames)

/** Spec, "Billing summary". */
export const billingSummaryWire: z.ZodType<BillingSummary> = figures({
  total_revenue: number,
  total_cost: number,
  total_margin: number,
  by_currency: anyList.transform((rows) => rows.flatMap((row) => currencyWire.safeParse(row).data ?? [])),
})

/** Spec, "Analytics overview". */
export const analyticsOverviewWire: z.ZodType<AnalyticsOverview> = figures({
  total_messages: count,
  delivered: count,
  failed: count,
  revenue: number,
  cost: number,
  margin: number,
})

/** Spec, "Dashboard". */
export const dashboardWire: z.ZodType<Dashboard> = figures({
  messages_today: count,
  messages_week: count,
  balance: number,
  active_campaigns: count,
  recent_messages: anyList,
})
