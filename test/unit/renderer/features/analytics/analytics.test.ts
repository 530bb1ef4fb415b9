import { readXlsx } from 'hucre/xlsx'
import { describe, expect, it } from 'vitest'
import {
  differenceOf,
  shareDifference,
  shareOf,
} from '../../../../../renderer/src/features/analytics/differences.ts'
import { arrivalsOption } from '../../../../../renderer/src/features/analytics/chart-options.ts'
import {
  arrivalsSheet,
  beforeRecord,
  fromRecording,
  bucketTotals,
  failureSheet,
  failureTarget,
  knownBuckets,
  latencySheet,
  outcomeSheet,
  recordOf,
} from '../../../../../renderer/src/features/analytics/local-sheets.ts'
import {
  amountFigures,
  currencyFigures,
  billingTotals,
  currencySheet,
  differenceCells,
  isRepeated,
  totalsNote,
  totalsThatDiffer,
} from '../../../../../renderer/src/features/analytics/service-sheets.ts'
import { cellText, csvOf, workbookOf } from '../../../../../renderer/src/features/analytics/sheet.ts'
import {
  isRunning,
  presetRange,
  rangeBefore,
  readRange,
  widthFor,
  widthsFor,
  wrongWith,
} from '../../../../../renderer/src/features/analytics/spans.ts'
import { palettes } from '../../../../../renderer/src/shared/theme/tokens.ts'
import { ordinaryBilling, ordinaryLocal, ordinaryOverview } from '../../../../helpers/scripted/analytics.ts'

const at = (iso: string) => Date.parse(iso)
const day = { startDate: '2026-01-05', endDate: '2026-01-05' }

describe('a period', () => {
  const text = ({ startDate, endDate }: { startDate: string; endDate: string }) =>
    `${startDate} to ${endDate}`

  it.each([
    ['today', '2026-03-01T23:59:59.999Z', '2026-03-01 to 2026-03-01'],
    ['yesterday', '2026-03-01T23:59:59.999Z', '2026-02-28 to 2026-02-28'],
    ['last7', '2026-03-01T23:59:59.999Z', '2026-02-23 to 2026-03-01'],
    ['last30', '2026-03-01T23:59:59.999Z', '2026-01-31 to 2026-03-01'],
    ['this-month', '2026-03-01T23:59:59.999Z', '2026-03-01 to 2026-03-01'],
    ['last-month', '2026-03-01T23:59:59.999Z', '2026-02-01 to 2026-02-28'],
    ['last-month', '2024-03-31T00:00:00Z', '2024-02-01 to 2024-02-29'],
    ['last-month', '2026-01-15T12:00:00Z', '2025-12-01 to 2025-12-31'],
  ] as const)('is in UTC days: %s at %s is %s', (preset, now, days) => {
    expect(text(presetRange(preset, at(now)))).toBe(days)
  })

  it.each([
    ['2026-03-01', '2026-03-01', '2026-02-28 to 2026-02-28'],
    ['2026-03-01', '2026-03-31', '2026-01-29 to 2026-02-28'],
  ])('from %s to %s is compared with the same number of days before it', (startDate, endDate, before) => {
    expect(text(rangeBefore({ startDate, endDate }))).toBe(before)
  })

  it.each([
    ['2026-01-05T23:59:59.999Z', true],
    ['2026-01-06T00:00:00.000Z', false],
  ])('runs until its last day ends: at %s %s', (now, runs) => {
    expect(isRunning(day, at(now))).toBe(runs)
  })

  it('is the last 7 days when the address is invalid', () => {
    const nowMs = at('2026-03-08T10:00:00Z')
    const usual = { preset: 'last7', range: presetRange('last7', nowMs) }
    expect(readRange({}, nowMs)).toEqual(usual)
    expect(readRange({ range: 'custom' }, nowMs)).toEqual(usual)
    expect(readRange({ range: 'custom', from: '2026-02-02', to: '2026-02-01' }, nowMs)).toEqual(usual)
    expect(readRange({ range: 'custom', from: '2026-02-30', to: '2026-03-01' }, nowMs)).toEqual(usual)
    expect(readRange({ range: 'custom', from: '2026-02-01', to: '2026-02-02' }, nowMs)).toEqual({
      preset: 'custom',
      range: { startDate: '2026-02-01', endDate: '2026-02-02' },
    })
    expect(wrongWith({ startDate: '2020-01-01', endDate: '2026-01-01' })).toMatch(/366 days or less/)
  })

  it('offers no interval with too many buckets', () => {
    const days = (count: number) => ({
      startDate: '2026-01-01',
      endDate: new Date(at('2026-01-01T00:00:00Z') + (count - 1) * 86_400_000).toISOString().slice(0, 10),
    })
    expect(widthsFor(days(1)).map(({ value }) => value)).toEqual([60_000, 3_600_000, 86_400_000])
    expect(widthsFor(days(2)).map(({ value }) => value)).toEqual([3_600_000, 86_400_000])
    expect(widthFor(days(60), undefined)).toBe(3_600_000)
    expect(widthFor(days(61), '3600000')).toBe(86_400_000)
    expect(widthFor(days(1), '60000')).toBe(60_000)
  })
})

describe('a difference', () => {
  it('has no percentage over zero and is unknown when a figure is', () => {
    expect(differenceOf(5, 0)).toEqual({ absolute: 5, relative: null })
    expect(differenceOf(null, 3)).toEqual({ absolute: null, relative: null })
    expect(differenceOf(-1, -2)).toEqual({ absolute: 1, relative: 0.5 })
    expect(differenceOf(0.3, 0.1).absolute).toBe(0.2)
    expect(shareOf(1, 0)).toBeNull()
    // 94.8% and 95.3% as shown.
    expect(shareDifference(0.9484, 0.9525)).toBe(-0.005)
    expect(shareDifference(0.5, null)).toBeNull()
  })

  it('is written with its sign, except for zero', () => {
    expect(cellText(1_234, 'count-difference')).toBe('+1,234')
    expect(cellText(-0.5, 'amount-difference')).toBe('−0.50')
    expect(cellText(-0.0001, 'points')).toBe('0.0 pp')
    expect(cellText(-0.152, 'percent')).toBe('−15.2%')
    expect(cellText(null, 'share')).toBe('–')
  })
})

describe('a sheet as CSV', () => {
  it('quotes text, defuses formulas and keeps numbers exact', () => {
    const csv = csvOf({
      columns: [
        { title: 'Name', kind: 'text' },
        { title: 'A, b', kind: 'amount' },
      ],
      rows: [
        ['=1+1', -0.5],
        ['say "x"\n', null],
        ['@cmd', 1234.5678],
      ],
    })
    expect(csv).toBe('Name,"A, b"\r\n\'=1+1,-0.5\r\n"say ""x""\n",\r\n\'@cmd,1234.5678\r\n')
  })
})

describe('a sheet as a workbook', () => {
  it('has exact figures, and texts that are no formulas', async () => {
    const columns = [
      { title: 'Name', kind: 'text' as const },
      { title: 'Cost', kind: 'amount' as const },
    ]
    const workbook = await workbookOf({
      columns,
      rows: [
        ['=1+1', -0.5],
        ['', null],
        ['+49', 1234.5678],
      ],
    })
    const [sheet] = (await readXlsx(new Uint8Array(await workbook.arrayBuffer()))).sheets
    expect(sheet!.rows.map(([name, cost]) => [name ?? '', cost ?? null])).toEqual([
      ['Name', 'Cost'],
      ['=1+1', -0.5],
      ['', null],
      ['+49', 1234.5678],
    ])
  })
})

describe('billing', () => {
  const row = (currency: string | null, revenue: number | null, cost: number | null) => ({
    currency,
    revenue,
    cost,
  })
  const billing = (...byCurrency: ReturnType<typeof row>[]) => ({
    totalRevenue: 99,
    totalCost: 1,
    totalMargin: 98,
    byCurrency,
  })

  it('never adds currencies, and lists those of both periods', () => {
    const { rows } = currencySheet(
      currencyFigures(
        billing(row('EUR', 10, 4), row(null, 7, null)),
        billing(row('EUR', 0, 5), row('USD', 3, 1)),
      ),
    )
    expect(rows).toEqual([
      ['EUR', 'Revenue', 10, 0, 10, null],
      ['EUR', 'Cost', 4, 5, -1, -0.2],
      ['EUR', 'Revenue − cost', 6, -5, 11, 2.2],
      ['Unknown', 'Revenue', 7, null, null, null],
      ['Unknown', 'Cost', null, null, null, null],
      ['Unknown', 'Revenue − cost', null, null, null, null],
      ['USD', 'Revenue', null, 3, null, null],
      ['USD', 'Cost', null, 1, null, null],
      ['USD', 'Revenue − cost', null, 2, null, null],
    ])
  })

  it('numbers currencies that are repeated or missing', () => {
    const figures = currencyFigures(
      billing(row('EUR', 10, 4), row('EUR', 20, 5), row(null, 1, 1), row(null, 2, 2)),
      billing(row('EUR', 8, 3)),
    )
    expect(figures.map(({ currency }) => currency)).toEqual(['EUR', 'EUR (2)', null, 'Unknown (2)'])
    expect(currencySheet(figures).rows.filter(([, what]) => what === 'Revenue')).toEqual([
      ['EUR', 'Revenue', 10, 8, 2, 0.25],
      ['EUR (2)', 'Revenue', 20, null, null, null],
      ['Unknown', 'Revenue', 1, null, null, null],
      ['Unknown (2)', 'Revenue', 2, null, null, null],
    ])
  })

  it('names the currency of the service’s totals', () => {
    expect(totalsNote(billing(row('EUR', 1, 1), row('USD', 1, 1)))).toContain('mix currencies')
    expect(totalsNote(billing(row('EUR', 1, 1)))).toContain('probably in EUR')
    expect(totalsNote(null)).toContain('Currency not given')
  })
})

describe('tables of local events', () => {
  const hourMs = 3_600_000
  const local = (asOf: string) => {
    const made = ordinaryLocal({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', bucketMs: hourMs })
    return { ...made, series: { ...made.series, asOf } }
  }

  it('skip hours that have not begun', () => {
    expect(knownBuckets(local('2026-01-01T05:30:00Z'))).toBe(6)
    expect(knownBuckets(local('2026-03-01T00:00:00Z'))).toBe(24)
    expect(arrivalsSheet(local('2026-01-01T05:30:00Z'), null).rows).toHaveLength(6)
    expect(arrivalsSheet(local('2026-01-01T05:30:00Z'), null).rows[1]![0]).toBe('2026-01-01 01:00')
  })

  it('have no figures before recording began', () => {
    const made = local('2026-03-01T00:00:00Z')
    const empty = {
      ...made,
      series: {
        ...made.series,
        lines: made.series.lines.map((line) => ({ ...line, counts: line.counts.map(() => 0) })),
      },
    }
    const since = (recordedSince: string | null) => ({ ...empty, recordedSince })
    const half = since('2026-01-01T05:30:00Z')
    expect(bucketTotals(half).slice(3, 8)).toEqual([null, null, 0, 0, 0])
    const { rows } = arrivalsSheet(half, null)
    expect(rows[0]![0]).toBe('2026-01-01 05:00')
    expect(rows[0]!.slice(1, -1).every((cell) => cell === 0)).toBe(true)
    expect(arrivalsSheet(since(null), null).rows).toEqual([])
    expect(beforeRecord(half)).toMatchObject([
      { from: '2026-01-01T00:00:00Z', to: '2026-01-01T05:30:00Z', durationMs: 5.5 * hourMs },
    ])
    expect(beforeRecord(since('2025-12-31T00:00:00Z'))).toEqual([])
    expect(
      [half, since(null), since('2026-02-01T00:00:00Z'), since('2025-12-31T00:00:00Z')].map(recordOf),
    ).toEqual(['part', 'none', 'none', 'whole'])
    // Events without a recorded start, as from an import, are shown.
    expect(bucketTotals({ ...made, recordedSince: null }).some((total) => total !== null && total > 0)).toBe(
      true,
    )
    const late = {
      ...made,
      series: {
        ...made.series,
        lines: made.series.lines.map((line) => ({
          ...line,
          counts: [...Array<number>(60).fill(0), ...line.counts],
        })),
      },
    }
    const cut = fromRecording({ ...late, recordedSince: '2026-01-03T11:10:00Z' }, late).map(
      (one) => one!.series,
    )
    expect(cut.map(({ from }) => from)).toEqual(['2026-01-03T11:00:00.000Z', '2026-01-03T11:00:00.000Z'])
    expect(cut[1]!.lines[0]!.counts).toHaveLength(25)
    const option = arrivalsOption(half, null, palettes.dark) as { series: { data: (number | null)[] }[] }
    expect(option.series[0]!.data.slice(3, 7)).toEqual([null, null, 0, 0])
  })

  it('never round a share to 0% or 100%', () => {
    expect([0.9999, 0.0001, 1, 0, 0.5].map((share) => cellText(share, 'share'))).toEqual([
      '> 99.9%',
      '< 0.1%',
      '100.0%',
      '0.0%',
      '50.0%',
    ])
  })

  it('count unlisted outcomes in the shares', () => {
    const made = {
      ...local('2026-03-01T00:00:00Z'),
      outcomes: [
        { name: 'delivered', count: 60 },
        { name: 'odd_word', count: 30 },
      ],
      otherOutcomes: 10,
    }
    expect(outcomeSheet(made, null).rows.map(([name, count, share]) => [name, count, share])).toEqual([
      ['Delivered', 60, 0.6],
      ['odd_word', 30, 0.3],
      ['Other', 10, 0.1],
    ])
  })

  it('keep changes of shares exact', () => {
    const made = local('2026-03-01T00:00:00Z')
    const of = (delivered: number, failed: number) => ({
      ...made,
      outcomes: [
        { name: 'delivered', count: delivered },
        { name: 'failed', count: failed },
      ],
      otherOutcomes: 0,
    })
    expect(outcomeSheet(of(9, 991), of(1, 2)).rows[0]!.at(-1)).toBe(-0.324333)
    const { absolute } = differenceCells({ title: '', kind: 'share', now: 0.9484, before: 0.9525 })
    expect(absolute.value).toBe(-0.0041)
  })

  it('put every delivery time into one bar', () => {
    const made = {
      ...local('2026-03-01T00:00:00Z'),
      latency: {
        measured: 12,
        p50Ms: 1,
        p90Ms: 1,
        p99Ms: 1,
        bins: [
          { fromMs: 5, toMs: 6, count: 3 },
          { fromMs: 190, toMs: 200, count: 4 },
          { fromMs: 90_000_000_00, toMs: 95_000_000_00, count: 5 },
        ],
      },
    }
    const { rows } = latencySheet(made)
    expect(rows.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(12)
    expect(rows[0]).toEqual(['under 100 ms', 3, 0.25])
    expect(rows[1]).toEqual(['100 ms – 200 ms', 4, 4 / 12])
    expect(rows.at(-1)![0]).toBe('over 1 d 1 h')
  })
})

describe('totals from overview and billing', () => {
  const overview = { totalMessages: 3, delivered: 2, failed: 1, revenue: 10.3, cost: 4, margin: null }
  const billing = { totalRevenue: 10.1, totalCost: 4, totalMargin: 6, byCurrency: [] }

  it('are both shown with their difference', () => {
    expect(billingTotals(billing, null)).toMatchObject([
      { title: 'Revenue (billing)', now: 10.1, before: null },
      { title: 'Cost (billing)', now: 4 },
      { title: 'Margin (billing)', now: 6 },
    ])
    expect(totalsThatDiffer(overview, billing)).toEqual([{ title: 'Revenue', difference: -0.2 }])
    expect(totalsThatDiffer({ ...overview, revenue: 10.1 }, billing)).toEqual([])
  })
})

it('the only currency repeats the totals, unless they differ or it lacks one of them', () => {
  const totals = (revenue: number | null) =>
    amountFigures({ ...ordinaryOverview(day), revenue, cost: 0.1, margin: 0.2 }, null)
  const billing = (...rows: { revenue: number | null }[]) =>
    currencyFigures(
      { ...ordinaryBilling(day), byCurrency: rows.map((row) => ({ currency: null, cost: 0.1, ...row })) },
      null,
    )
  expect(isRepeated(totals(0.3), billing({ revenue: 0.3 }))).toBe(true)
  expect(isRepeated(totals(null), billing({ revenue: 0.3 }))).toBe(true)
  expect(isRepeated(totals(0.4), billing({ revenue: 0.3 }))).toBe(false)
  expect(isRepeated(totals(0.3), billing({ revenue: null }))).toBe(false)
  expect(isRepeated(totals(0.3), billing({ revenue: 0.3 }, { revenue: 0 }))).toBe(false)
})

describe('failures by code and destination', () => {
  const germany = { code: '2', callingCode: '49', regions: ['DE'], count: 3 }
  const asDialled = { code: '1', callingCode: null, regions: [], count: 1 }

  it('have a row for each group and one for the rest', () => {
    const { rows } = failureSheet({ groups: [germany, asDialled], others: 4, newestOf: null, asOf: '' })
    expect(rows).toEqual([
      ['2', '+49 Germany', 3, 3 / 8],
      ['1', 'Unknown country', 1, 1 / 8],
      ['Other', '', 4, 4 / 8],
    ])
  })

  it('link to their events', () => {
    const range = { startDate: '2026-03-01', endDate: '2026-03-02' }
    const days = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-03T00:00:00.000Z' }
    expect(failureTarget(germany, range).query).toEqual({ code: '2', number: '+49', ...days })
    expect(failureTarget(asDialled, range).query).toEqual({ code: '1', ...days })
  })
})
