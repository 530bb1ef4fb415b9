import type { AnalyticsOverview, BillingSummary } from '#contract/domain.ts'
import { type MetricName, t } from './analytics.texts.ts'
import { failureHint, failureTone } from '../../shared/format/failures.ts'
import { differenceOf, shareOf } from './differences.ts'
import { type Cell, type Sheet, column } from './sheet.ts'

export interface ComparedFigure {
  title: string
  kind: 'count' | 'amount' | 'share'
  now: number | null
  before: number | null
  tone?: 'bad' | undefined
  hint?: string
}

/** Makes figures of one kind from this answer and the previous period's. */
const comparing =
  <A>(kind: ComparedFigure['kind'], now: A | null, before: A | null) =>
  (metric: MetricName, of: (answer: A) => number | null): ComparedFigure => ({
    title: t(`metrics.${metric}`),
    kind,
    now: now && of(now),
    before: before && of(before),
  })

export function messageFigures(now: AnalyticsOverview, before: AnalyticsOverview | null): ComparedFigure[] {
  const count = comparing('count', now, before)
  const share = comparing('share', now, before)
  return [
    count('messages', ({ totalMessages }) => totalMessages),
    count('delivered', ({ delivered }) => delivered),
    count('failed', ({ failed }) => failed),
    share('deliveryRate', ({ delivered, totalMessages }) => shareOf(delivered, totalMessages)),
    {
      ...share('failureRate', ({ failed, totalMessages }) => shareOf(failed, totalMessages)),
      tone: failureTone(now.failed, now.totalMessages),
      hint: failureHint(),
    },
  ]
}

/** The overview's money totals, which may mix currencies. */
export function amountFigures(now: AnalyticsOverview, before: AnalyticsOverview | null): ComparedFigure[] {
  const amount = comparing('amount', now, before)
  return [
    amount('revenue', ({ revenue }) => revenue),
    amount('cost', ({ cost }) => cost),
    amount('margin', ({ margin }) => margin),
  ]
}

/** Totals from the billing summary. They may differ from the overview's. */
export function billingTotals(now: BillingSummary, before: BillingSummary | null): ComparedFigure[] {
  const amount = comparing('amount', now, before)
  return [
    amount('revenueBilling', ({ totalRevenue }) => totalRevenue),
    amount('costBilling', ({ totalCost }) => totalCost),
    amount('marginBilling', ({ totalMargin }) => totalMargin),
  ]
}

/** Totals that differ between the overview and the billing summary, and by how much. */
export function totalsThatDiffer(
  overview: AnalyticsOverview,
  billing: BillingSummary,
): { title: string; difference: number }[] {
  const inBilling = billingTotals(billing, null)
  return amountFigures(overview, null).flatMap(({ title, now }, at) => {
    const { absolute: difference } = differenceOf(inBilling[at]!.now, now)
    return difference === null || difference === 0 ? [] : [{ title, difference }]
  })
}

/** The change of a figure as text. A share changes by points, which have no percentage. */
export function differenceCells({ kind, now, before }: ComparedFigure): {
  absolute: { value: number | null; kind: 'count-difference' | 'amount-difference' | 'points' }
  relative: number | null
} {
  const { absolute, relative } = differenceOf(now, before)
  if (kind === 'share') return { absolute: { value: absolute, kind: 'points' }, relative: null }
  const differenceKind = kind === 'amount' ? 'amount-difference' : 'count-difference'
  return { absolute: { value: absolute, kind: differenceKind }, relative }
}

function comparedCells(figure: ComparedFigure): Cell[] {
  const { absolute, relative } = differenceCells(figure)
  return [figure.title, figure.now, figure.before, absolute.value, relative]
}

/** The compared figures for saving. The page draws its own table, because each row has its own kind. */
export const figuresSheet = (figures: readonly ComparedFigure[]): Sheet => ({
  columns: [
    column('metric'),
    column('now', 'count'),
    column('before', 'count'),
    column('change', 'count-difference'),
    column('percent', 'percent'),
  ],
  rows: figures.map(comparedCells),
})

interface CurrencyFigures {
  /** The service’s name for it, numbered if repeated; null without a name. */
  currency: string | null
  figures: ComparedFigure[]
}

type CurrencyRow = BillingSummary['byCurrency'][number]

/** Rows by shown name. Repeated or missing names are numbered, so that no two rows are added up. */
function namedRows(billing: BillingSummary | null): Map<string | null, CurrencyRow> {
  const seen = new Map<string | null, number>()
  return new Map(
    (billing?.byCurrency ?? []).map((row) => {
      const count = (seen.get(row.currency) ?? 0) + 1
      seen.set(row.currency, count)
      const name = currencyName(row.currency)
      return [count === 1 ? row.currency : t('service.numbered', { name, n: count }), row]
    }),
  )
}

export const currencyName = (currency: string | null): string => currency ?? t('service.unknownCurrency')

/** Billing per currency; currencies are never added together. */
export function currencyFigures(now: BillingSummary, before: BillingSummary | null): CurrencyFigures[] {
  const rows = namedRows(now)
  const rowsBefore = namedRows(before)
  return [...new Set([...rows.keys(), ...rowsBefore.keys()])].map((currency) => {
    const amount = comparing('amount', rows.get(currency) ?? null, rowsBefore.get(currency) ?? null)
    return {
      currency,
      figures: [
        amount('revenue', ({ revenue }) => revenue),
        amount('cost', ({ cost }) => cost),
        amount('net', ({ revenue, cost }) => differenceOf(revenue, cost).absolute),
      ],
    }
  })
}

/** Whether the only currency's figures already say all that these totals say. */
export function isRepeated(
  totals: readonly ComparedFigure[],
  [only, ...others]: readonly CurrencyFigures[],
): boolean {
  const isSame = (one: number | null, other: number | null) =>
    one === null || differenceOf(one, other).absolute === 0
  return (
    only !== undefined &&
    others.length === 0 &&
    totals.length === only.figures.length &&
    totals.every(({ now, before }, at) => {
      const other = only.figures[at]!
      return isSame(now, other.now) && (other.before === null || isSame(before, other.before))
    })
  )
}

export const currencySheet = (currencies: readonly CurrencyFigures[]): Sheet => ({
  columns: [
    column('currency'),
    column('metric'),
    column('now', 'amount'),
    column('before', 'amount'),
    column('change', 'amount-difference'),
    column('percent', 'percent'),
  ],
  rows: currencies.flatMap(({ currency, figures }) =>
    figures.map((figure) => [currencyName(currency), ...comparedCells(figure)]),
  ),
})

/** Which currency the service's money totals are in. */
export function totalsNote(billing: BillingSummary | null): string {
  const names = [...new Set((billing?.byCurrency ?? []).map(({ currency }) => currencyName(currency)))]
  if (names.length > 1) return t('service.totalsMixed', { list: names.join(', ') })
  return names[0] === undefined ? t('service.totalsUnknown') : t('service.totalsOne', { currency: names[0] })
}

/** True if two periods have identical figures, as from a service that ignores the dates. Zeros prove nothing. */
export function isSuspiciouslySame(now: AnalyticsOverview, before: AnalyticsOverview): boolean {
  return (now.totalMessages ?? 0) > 0 && JSON.stringify(now) === JSON.stringify(before)
}
