import { textIn } from '../../contract/phrases.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { createTarget } from '../run/target-file.ts'
import { titlesOf } from '../run/csv-headers.ts'
import { rejectedLines, rejectedRow, reportColumns } from '../table/rejected-rows.ts'

const pieceRows = 2_000

export interface RejectedOrder extends Pick<JobFiles, 'language'> {
  source: string
  target: string
  header: string[]
  /** Columns of the original file. */
  own: number[]
  delimiter: string
  rows: 'invalid' | 'all'
}

/**
 * Writes rejected rows as a table you can import again: the file's own columns, then row, outcome, reason and cells beyond the columns.
 * A report from an earlier round is replaced.
 */
export async function exportRejected(order: RejectedOrder, control: JobControl): Promise<{ rows: number }> {
  const target = createTarget(order.target, order.delimiter)
  try {
    const { own } = order
    target.row([...own.map((at) => order.header[at]!), ...titlesOf(reportColumns, order.language)])
    let rows = 0
    for await (const line of rejectedLines(order.source)) {
      const { cells, sheetRow, outcome, reason } = rejectedRow(line)
      if (order.rows === 'invalid' && outcome !== 'invalid') continue
      const { length } = order.header
      // Removes a formula guard, so only one is written.
      const texts = cells.map(readCell)
      target.row([
        ...own.map((at) => texts[at] ?? ''),
        String(sheetRow),
        outcome,
        textIn(order.language ?? 'en', reason ?? ''),
        ...texts.slice(length),
      ])
      if (++rows % pieceRows === 0) {
        control.progress(rows, null, { rows })
        await control.checkpoint()
      }
    }
    target.finish()
    return { rows }
  } finally {
    target.abandon()
  }
}
