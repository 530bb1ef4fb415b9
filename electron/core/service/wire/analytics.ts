import * as z from 'zod'
import type { AnalyticsOverview, BillingSummary, Dashboard } from '../../../contract/domain.ts'
import { anyList, number, text } from './fields.ts'

const currencyWire = z.object({ currency: text, revenue: number, cost: number })

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

/** Spec, "Billing summary". */
export const billingSummaryWire = figures({
  total_revenue: number,
  total_cost: number,
  total_margin: number,
  by_currency: anyList,
}).transform((wire): BillingSummary => ({
  totalRevenue: wire.total_revenue,
  totalCost: wire.total_cost,
  totalMargin: wire.total_margin,
  byCurrency: wire.by_currency.flatMap((row) => currencyWire.safeParse(row).data ?? []),
}))

/** Spec, "Analytics overview". */
export const analyticsOverviewWire = figures({
  total_messages: number,
  delivered: number,
  failed: number,
  revenue: number,
  cost: number,
  margin: number,
}).transform((wire): AnalyticsOverview => ({
  totalMessages: wire.total_messages,
  delivered: wire.delivered,
  failed: wire.failed,
  revenue: wire.revenue,
  cost: wire.cost,
  margin: wire.margin,
}))

/** Spec, "Dashboard". */
export const dashboardWire = figures({
  messages_today: number,
  messages_week: number,
  balance: number,
  active_campaigns: number,
  recent_messages: anyList,
}).transform((wire): Dashboard => ({
  messagesToday: wire.messages_today,
  messagesWeek: wire.messages_week,
  balance: wire.balance,
  activeCampaigns: wire.active_campaigns,
  recentMessages: wire.recent_messages,
}))
