import type { Dice } from '../dice.ts'
import type { Tenant } from '../tenant.ts'

const hourMs = 3_600_000

const historyDays = 30

/** Share of the busiest hour by UTC hour: little at night, two humps by day. */
function shareOfHour(hour: number): number {
  return 0.08 + 0.92 * Math.max(0, Math.sin(((hour - 5) / 16) * Math.PI)) * (hour === 12 ? 0.8 : 1)
}

/**
 * Counts of messages sent before the sandbox started, so analytics of past days aren't empty. Prices are for
 * one segment each.
 */
export function seedHistory(tenant: Tenant, dice: Dice, messagesPerSecond: number, nowMs: number): void {
  const busiestHour = messagesPerSecond * 3_600 * 0.6
  const firstHour = Math.floor(nowMs / hourMs) - historyDays * 24
  for (let i = 0; i < historyDays * 24; i++) {
    const atMs = (firstHour + i) * hourMs
    const at = new Date(atMs)
    const weekend = at.getUTCDay() % 6 === 0 ? 0.35 : 1
    const count = Math.round(
      busiestHour * shareOfHour(at.getUTCHours()) * weekend * (0.8 + dice.next() * 0.4),
    )
    if (count === 0) continue
    const failed = Math.round(count * (0.03 + dice.next() * 0.04))
    const rejected = Math.round(failed * 0.1)
    const figures = tenant.figures.at(atMs)
    figures.total += count
    figures.failed += failed
    figures.delivered += count - failed
    let left = count - rejected
    tenant.connections.forEach((connection, index) => {
      const isLast = index === tenant.connections.length - 1
      const here = isLast ? left : Math.round(left * (0.4 + dice.next() * 0.2))
      left -= here
      const { currency, sellPrice, costPrice } = connection
      figures.revenue[currency] = (figures.revenue[currency] ?? 0) + here * sellPrice
      figures.cost[currency] = (figures.cost[currency] ?? 0) + here * costPrice
      tenant.charged += here * sellPrice
    })
  }
}
