import type { DayFigures } from '#contract/analytics.ts'
import type { AnalyticsOverview, BillingSummary } from '#contract/domain.ts'
import { differenceOf, shareOf } from './differences.ts'
import type { Cell, Sheet } from './sheet.ts'

/** One figure with that of the period before. */
export interface ComparedFigure {
  title: string
  kind: 'count' | 'amount' | 'share'
  now: number | null
  before: number | null
}

/** The service's figures of messages; shares say of what. */
export function messageFigures(now: AnalyticsOverview, before: AnalyticsOverview | null): ComparedFigure[] {
  const count = (title: string, of: (overview: AnalyticsOverview) => number | null): ComparedFigure => ({
    title,
    kind: 'count',
    now: of(now),
    before: before && of(before),
  })
  const share = (title: string, of: (overview: AnalyticsOverview) => number | null): ComparedFigure => ({
    title,
    kind: 'share',
    now: shareOf(of(now), now.totalMessages),
    before: before && shareOf(of(before), before.totalMessages),
  })
  return [
    count('Messages', (overview) => overview.totalMessages),
    count('Delivered', (overview) => overview.delivered),
    count('Failed', (overview) => overview.failed),
    share('Delivered, of all messages', (overview) => overview.delivered),
    share('Failed, of all messages', (overview) => overview.failed),
  ]
}

/** The service's own totals of money, which are of no single currency where it bills in several. */
export function amountFigures(now: AnalyticsOverview, before: AnalyticsOverview | null): ComparedFigure[] {
  const amount = (title: string, of: (overview: AnalyticsOverview) => number | null): ComparedFigure => ({
    title,
    kind: 'amount',
    now: of(now),
    before: before && of(before),
  })
  return [
    amount('Revenue', (overview) => overview.revenue),
    amount('Cost', (overview) => overview.cost),
    amount('Margin', (overview) => overview.margin),
  ]
}

/** Totals from the billing summary. They may differ from the overview's. */
export function billingTotals(now: BillingSummary, before: BillingSummary | null): ComparedFigure[] {
  const amount = (title: string, of: (billing: BillingSummary) => number | null): ComparedFigure => ({
    title: `${title}, billing summary`,
    kind: 'amount',
    now: of(now),
    before: before && of(before),
  })
  return [
    amount('Revenue', (billing) => billing.totalRevenue),
    amount('Cost', (billing) => billing.totalCost),
    amount('Margin', (billing) => billing.totalMargin),
  ]
}

/** Totals that differ between the overview and the billing summary, and by how much. */
export function totalsThatDiffer(
  overview: AnalyticsOverview,
  billing: BillingSummary,
): { title: string; difference: number }[] {
  const pairs: [title: string, overview: number | null, billing: number | null][] = [
    ['revenue', overview.revenue, billing.totalRevenue],
    ['cost', overview.cost, billing.totalCost],
    ['margin', overview.margin, billing.totalMargin],
  ]
  return pairs.flatMap(([title, one, other]) => {
    const { absolute: difference } = differenceOf(other, one)
    return difference === null || difference === 0 ? [] : [{ title, difference }]
  })
}

/** The difference of a figure, as the kind of cell it is. A share moves by points, and points have no percent. */
export function differenceCells({ kind, now, before }: ComparedFigure): {
  absolute: { value: number | null; kind: 'count-difference' | 'amount-difference' | 'points' }
  relative: number | null
} {
  const { absolute, relative } = differenceOf(now, before)
  if (kind === 'share') return { absolute: { value: absolute, kind: 'points' }, relative: null }
  const differenceKind = kind === 'amount' ? 'amount-difference' : 'count-difference'
  return { absolute: { value: absolute, kind: differenceKind }, relative }
}

/** The compared figures as a sheet for saving; drawn by a table of their own, since each row has its own kind. */
export function figuresSheet(figures: readonly ComparedFigure[]): Sheet {
  return {
    columns: [
      { title: 'Figure', kind: 'text' },
      { title: 'This span', kind: 'count' },
      { title: 'Before', kind: 'count' },
      { title: 'Difference', kind: 'count-difference' },
      { title: '%', kind: 'percent' },
    ],
    rows: figures.map((figure): Cell[] => {
      const { absolute, relative } = differenceCells(figure)
      return [figure.title, figure.now, figure.before, absolute.value, relative]
    }),
  }
}

/** Figures of one currency, of two periods. */
export interface CurrencyFigures {
  /** As the service named it, numbered where it does so again; null where it did not. */
  currency: string | null
  figures: ComparedFigure[]
}

type CurrencyRow = BillingSummary['byCurrency'][number]

/** The rows under the names they are shown by: a name that comes again, or none that does, is numbered, and no row is added to another. */
function namedRows(billing: BillingSummary | null): Map<string | null, CurrencyRow> {
  const seen = new Map<string | null, number>()
  return new Map(
    (billing?.byCurrency ?? []).map((row) => {
      const count = (seen.get(row.currency) ?? 0) + 1
      seen.set(row.currency, count)
      return [count === 1 ? row.currency : `${row.currency ?? 'Not named'} (${count})`, row]
    }),
  )
}

/** The billing of each currency by itself: nothing is added from one to the next. */
export function currencyFigures(now: BillingSummary, before: BillingSummary | null): CurrencyFigures[] {
  const rows = namedRows(now)
  const rowsBefore = namedRows(before)
  return [...new Set([...rows.keys(), ...rowsBefore.keys()])].map((currency) => {
    const row = rows.get(currency)
    const then = rowsBefore.get(currency)
    const amount = (title: string, of: (one: CurrencyRow) => number | null): ComparedFigure => ({
      title,
      kind: 'amount',
      now: row ? of(row) : null,
      before: then ? of(then) : null,
    })
    return {
      currency,
      figures: [
        amount('Revenue', ({ revenue }) => revenue),
        amount('Cost', ({ cost }) => cost),
        amount('Revenue − cost', ({ revenue, cost }) => differenceOf(revenue, cost).absolute),
      ],
    }
  })
}

/** A row per currency and figure. */
export function currencySheet(currencies: readonly CurrencyFigures[]): Sheet {
  return {
    columns: [
      { title: 'Currency', kind: 'text' },
      { title: 'Figure', kind: 'text' },
      { title: 'This span', kind: 'amount' },
      { title: 'Before', kind: 'amount' },
      { title: 'Difference', kind: 'amount-difference' },
      { title: '%', kind: 'percent' },
    ],
    rows: currencies.flatMap(({ currency, figures }) =>
      figures.map((figure): Cell[] => {
        const { absolute, relative } = differenceCells(figure)
        return [currency ?? 'Not named', figure.title, figure.now, figure.before, absolute.value, relative]
      }),
    ),
  }
}

/** What the service's own totals of money mean, given the currencies it names. */
export function totalsNote(billing: BillingSummary | null): string {
  const names = [...new Set((billing?.byCurrency ?? []).map(({ currency }) => currency ?? 'one not named'))]
  if (names.length > 1)
    return `The service’s own totals. It bills in ${names.length} currencies (${names.join(', ')}), so they are amounts of no single one.`
  if (names.length === 1) return `The service’s own totals. It names one currency: probably ${names[0]}.`
  return 'The service’s own totals. It names no currency for them.'
}

/** A row per day of what was read. */
export function daysSheet(days: readonly DayFigures[]): Sheet {
  return {
    columns: [
      { title: 'Day (UTC)', kind: 'text' },
      { title: 'Messages', kind: 'count' },
      { title: 'Delivered', kind: 'count' },
      { title: 'Failed', kind: 'count' },
      { title: 'Delivered share', kind: 'share' },
      { title: 'Failed share', kind: 'share' },
      { title: 'Read', kind: 'text' },
    ],
    rows: days.map(({ day, overview, asOf, complete }): Cell[] => [
      day,
      overview?.totalMessages ?? null,
      overview?.delivered ?? null,
      overview?.failed ?? null,
      shareOf(overview?.delivered ?? null, overview?.totalMessages ?? null),
      shareOf(overview?.failed ?? null, overview?.totalMessages ?? null),
      asOf === null ? 'not read' : complete ? 'after its end' : 'while it lasted',
    ]),
  }
}

/** True where two spans have the very same figures, as from a service that ignores the dates. Nothing is said of zeros. */
export function isSuspiciouslySame(now: AnalyticsOverview, before: AnalyticsOverview): boolean {
  return (now.totalMessages ?? 0) > 0 && JSON.stringify(now) === JSON.stringify(before)
}
