/** One row of a sheet. */
export interface SheetRow {
  /** As the program numbers it, from 1. Rows without cells may be missing. */
  rowNumber: number
  cells: string[]
  isHidden: boolean
}

export interface Sheet {
  name: string
  isHidden: boolean
}

export interface Workbook {
  sheets: Sheet[]
  /** Formulas without a stored result in the rows read. */
  uncalculated(): number
  /**
   * Reads the rows of the sheet at this position, in order, until `onRow` returns false. `between` is awaited between pieces with the
   * bytes done and their total.
   */
  read(
    at: number,
    onRow: (row: SheetRow) => boolean,
    between: (done: number, total: number) => Promise<void>,
  ): Promise<void>
}

/** Largest sheet that any program makes. */
export const rowsMax = 2 ** 20
export const columnsMax = 16_384

/** Text of a cell that is cut. Excel has 32,767 characters, and the table's reader reports longer rows. */
const textMax = 2 ** 21
/** A cell's text with another part, cut where it is too long for any row. */
export const withPart = (text: string, part: string): string => (text.length < textMax ? text + part : text)
