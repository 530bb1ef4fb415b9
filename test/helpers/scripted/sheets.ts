import type { OpenedTable } from '#contract/people/sheets.ts'
import type { Script } from './script.ts'

type Step = { kind: 'reading'; doneBytes: number; totalBytes: number } | ({ kind: 'table' } & OpenedTable)

/** The answer of `sheets.open` as steps. */
export const sheetsOpen = (
  steps: (input: { fileId: string; sheet?: number }) => AsyncGenerator<Step, void>,
): Script['sheets']['open'] => steps as unknown as Script['sheets']['open']

/** A table that is text, or of the workbook that `of` describes. */
export const aTable = (of: Partial<OpenedTable> & Pick<OpenedTable, 'fileId'>): Step => ({
  kind: 'table',
  isConverted: false,
  sheets: [],
  sheet: 0,
  hiddenRows: 0,
  uncalculated: 0,
  ...of,
})

/** Every upload is text. */
export const scriptedSheets = (): Script['sheets'] => ({
  open: sheetsOpen(async function* ({ fileId }) {
    yield aTable({ fileId })
  }),
})
