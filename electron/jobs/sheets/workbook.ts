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

/** A workbook of any format. */
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
