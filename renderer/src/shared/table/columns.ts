import type { StatusLook } from '../format/status.ts'
import type { Blocked } from '../people/use-known-numbers.ts'

/** Rows of a table by index: an array, or a longer list that is partly loaded. */
export interface RowList<T> {
  readonly length: number
  /** Undefined if the row is not loaded. */
  at(index: number): T | undefined
  /** Index of the first loaded row that matches, or -1. */
  findIndex(fits: (row: T) => boolean): number
}

/** A column of a table. Widths are pixels; the minimum if it may grow. */
export interface Column<T> {
  id: string
  title: string
  width: number
  /** Its share of spare space. Without it the width is fixed. */
  grow?: number
  /** Hidden when space runs out, highest number first. Without it the column always shows. */
  hide?: number
  /** Right-aligned. */
  numeric?: boolean
  muted?: boolean
  /** The title is for screen readers only. */
  untitled?: boolean
  /** A click on its title sorts the list. */
  sort?: 'none' | 'ascending' | 'descending'
  /** Its content always fits: clipping each cell is the largest cost of painting a row. */
  fits?: boolean
  /** The cell shows a status; the slot `cell-<id>` may add to it. */
  status?(row: T): StatusLook
  /** The cell, unless the page draws it in the slot `cell-<id>`. Null shows as a dash. */
  text?(row: T): string | null
  /** The cell shows a phone number. */
  phone?(row: T): string | null
  /** What blocks sending to that number, marked beside it. */
  blocked?(row: T): Blocked
  /** Shown on hover. */
  hint?(row: T): string | undefined
  /** A CSS class of the cell, such as a tone. */
  tone?(row: T): string | undefined
}

const gapPx = 12
const padsPx = 32

/** Whether it ends at the right, and the next begins at the left: these need twice the gap. */
export const isApart = (columns: readonly Pick<Column<never>, 'numeric'>[], at: number): boolean =>
  columns[at]?.numeric === true && at + 1 < columns.length && !columns[at + 1]!.numeric

/** The columns that fit into `widthPx`. */
export function fittingColumns<C extends Pick<Column<never>, 'width' | 'hide' | 'numeric'>>(
  columns: readonly C[],
  widthPx: number,
): C[] {
  const fitting = [...columns]
  const neededPx = () =>
    fitting.reduce(
      (sum, { width }, at) => sum + width + gapPx * (isApart(fitting, at) ? 2 : 1),
      padsPx - gapPx,
    )
  while (neededPx() > widthPx) {
    const next = fitting.reduce((worst, column) => Math.max(worst, column.hide ?? 0), 0)
    if (next === 0) break
    fitting.splice(
      fitting.findLastIndex(({ hide }) => hide === next),
      1,
    )
  }
  return fitting
}

/** Columns as `grid-template-columns`. */
export const tracksOf = (columns: readonly Pick<Column<never>, 'width' | 'grow' | 'numeric'>[]): string =>
  columns
    .map(({ width, grow }, at) => {
      const px = width + (isApart(columns, at) ? gapPx : 0)
      return grow === undefined ? `${px}px` : `minmax(${px}px, ${grow}fr)`
    })
    .join(' ')
