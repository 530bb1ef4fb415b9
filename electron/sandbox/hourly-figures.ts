import { toAmount } from './wire.ts'

/** Counts of one hour. A message counts in the hour it was created. */
export interface HourFigures {
  total: number
  delivered: number
  failed: number
  /** By currency code, in ten-thousandths of its unit. */
  revenue: Record<string, number>
  cost: Record<string, number>
}

export type HourlyFigures = ReturnType<typeof createHourlyFigures>

const hourMs = 3_600_000

function emptyFigures(): HourFigures {
  return { total: 0, delivered: 0, failed: 0, revenue: {}, cost: {} }
}

function addTo(sums: Record<string, number>, more: Record<string, number>): void {
  for (const currency in more) sums[currency] = (sums[currency] ?? 0) + more[currency]!
}

/** Hourly sums of all messages ever, so analytics stay true after old messages are dropped. */
export function createHourlyFigures(start: [number, HourFigures][] = []) {
  const hours = new Map<number, HourFigures>(start)
  return {
    /** The hour's record, created when missing. */
    at(atMs: number): HourFigures {
      const hour = Math.floor(atMs / hourMs)
      let figures = hours.get(hour)
      if (!figures) hours.set(hour, (figures = emptyFigures()))
      return figures
    },
    /** Sums of the hours that overlap `fromMs` (included) to `toMs` (excluded). */
    between(fromMs: number, toMs: number): HourFigures {
      const first = Math.floor(fromMs / hourMs)
      const end = Math.ceil(toMs / hourMs)
      const sum = emptyFigures()
      for (const [hour, figures] of hours) {
        if (hour < first || hour >= end) continue
        sum.total += figures.total
        sum.delivered += figures.delivered
        sum.failed += figures.failed
        addTo(sum.revenue, figures.revenue)
        addTo(sum.cost, figures.cost)
      }
      return sum
    },
    /** `[hour number, figures]`, for the state file. */
    entries: () => [...hours],
  }
}

/** A plain sum over currencies, for the spec's fields without a currency. */
export function sumOfCurrencies(amounts: Record<string, number>): number {
  return toAmount(Object.values(amounts).reduce((sum, amount) => sum + amount, 0))
}
