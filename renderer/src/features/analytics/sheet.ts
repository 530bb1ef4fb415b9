import { formatAmount, formatCount, formatDecimal, formatShare } from '../../shared/format/numbers.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { type ColumnName, t } from './analytics.texts.ts'

/** `share` is a fraction, shown as a percentage; `points` is a difference of shares; a difference has its sign. */
type ColumnKind =
  | 'text'
  | 'count'
  | 'amount'
  | 'share'
  | 'count-difference'
  | 'amount-difference'
  | 'points'
  | 'percent'

interface Column {
  title: string
  kind: ColumnKind
}

/** A column with its heading from the catalogue. */
export const column = (name: ColumnName, kind: ColumnKind = 'text'): Column => ({
  title: t(`columns.${name}`),
  kind,
})

export type Cell = string | number | null

/** The figures of a chart or ranking, drawn as a table and saved as CSV or a workbook. Null is unknown. */
export interface Sheet {
  columns: readonly Column[]
  rows: readonly (readonly Cell[])[]
}

/** With its sign, except for zero. */
const signed = (value: number, text: string) => {
  const unsigned = text.replace('-', '')
  if (!/[1-9]/.test(unsigned)) return unsigned
  return value > 0 ? `+${unsigned}` : `−${unsigned}`
}
const minus = (text: string) => text.replace('-', '−')

/** A share with one decimal, never rounded to 0% or 100%. */
function shareText(share: number): string {
  if (share > 0 && share < 0.0005) return `< ${formatShare(0.001, 1)}`
  return share >= 0.9995 && share < 1 ? `> ${formatShare(0.999, 1)}` : formatShare(share, 1)
}

export function cellText(value: Cell, kind: ColumnKind): string {
  if (value === null) return '–'
  if (typeof value === 'string') return visibleText(value)
  switch (kind) {
    case 'amount':
      return minus(formatAmount(value))
    case 'share':
      return shareText(value)
    case 'count-difference':
      return signed(value, formatCount(value))
    case 'amount-difference':
      return signed(value, formatAmount(value))
    case 'points':
      return signed(value, `${formatDecimal(value * 100)} pp`)
    case 'percent':
      return signed(value, formatShare(value, 1))
    case 'count':
    case 'text':
      return formatCount(value)
  }
}

/** Puts an apostrophe before what a spreadsheet would run as a formula. */
const guarded = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
const quoted = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The sheet as CSV with exact numbers; shares are fractions. */
export function csvOf({ columns, rows }: Sheet): string {
  const line = (cells: readonly string[]) => cells.map(quoted).join(',')
  return [
    line(columns.map(({ title }) => guarded(title))),
    ...rows.map((row) =>
      line(row.map((cell) => (cell === null ? '' : typeof cell === 'number' ? String(cell) : guarded(cell)))),
    ),
    '',
  ].join('\r\n')
}

/** The sheet as a workbook, like `csvOf`: figures are numbers, everything else is text. */
export async function workbookOf({ columns, rows }: Sheet): Promise<Blob> {
  // Loaded only when someone saves one.
  const { writeXlsxStream } = await import('hucre/xlsx')
  const all = [columns.map(({ title }) => title), ...rows.map((row) => [...row])]
  return new Response(writeXlsxStream(all, { name: 'Sheet1' })).blob()
}
