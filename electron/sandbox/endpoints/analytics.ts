import { readSpan } from '../http/checks.ts'
import { type Endpoint, get } from '../http/endpoint.ts'
import { ok } from '../http/reply.ts'
import { sumOfCurrencies } from '../hourly-figures.ts'
import { toMessageRecord } from '../tenant.ts'
import { toAmount } from '../wire.ts'

const dayMs = 86_400_000

/** Rounds to four decimals, as amounts have. */
const minus = (a: number, b: number) => Math.round((a - b) * 10_000) / 10_000

/** The spec's Analytics and dashboard table: sums over the tenant's own messages. */
export const analyticsEndpoints: readonly Endpoint[] = [
  get('/analytics/billing-summary', 'analytics:read', ({ tenant, query }) => {
    const { fromMs, toMs } = readSpan(query)
    const sums = tenant.figures.between(fromMs, toMs)
    const revenue = sumOfCurrencies(sums.revenue)
    const cost = sumOfCurrencies(sums.cost)
    return ok({
      total_revenue: revenue,
      total_cost: cost,
      total_margin: minus(revenue, cost),
      by_currency: Object.keys(sums.revenue)
        .sort()
        .map((currency) => ({
          currency,
          revenue: toAmount(sums.revenue[currency]!),
          cost: toAmount(sums.cost[currency] ?? 0),
        })),
    })
  }),
  get('/analytics/overview', 'analytics:read', ({ tenant, query }) => {
    const { fromMs, toMs } = readSpan(query)
    const sums = tenant.figures.between(fromMs, toMs)
    const revenue = sumOfCurrencies(sums.revenue)
    const cost = sumOfCurrencies(sums.cost)
    return ok({
      total_messages: sums.total,
      delivered: sums.delivered,
      failed: sums.failed,
      revenue,
      cost,
      margin: minus(revenue, cost),
    })
  }),
  get('/dashboard', 'analytics:read', ({ tenant, nowMs }) => {
    const today = Math.floor(nowMs / dayMs) * dayMs
    let active = 0
    for (const campaign of tenant.campaigns.values()) if (campaign.status === 'running') active++
    return ok({
      messages_today: tenant.figures.between(today, today + dayMs).total,
      messages_week: tenant.figures.between(today - 6 * dayMs, today + dayMs).total,
      balance: toAmount(tenant.paidIn - tenant.charged),
      active_campaigns: active,
      recent_messages: tenant.messages.page(0, 10).items.map((message) => toMessageRecord(tenant, message)),
    })
  }),
]
