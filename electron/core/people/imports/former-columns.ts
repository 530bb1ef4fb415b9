import type { ColumnTarget } from '../../../contract/people/imports.ts'
import { ownColumns } from '../../../jobs/table/rejected-rows.ts'

/**
 * The columns of a list of rejected rows, as the import mapped them whose rows it lists: the first of `imports` with the same titles.
 * Null for other files.
 */
export function formerColumns(
  header: readonly string[],
  imports: Iterable<{ header: readonly string[]; columns: readonly ColumnTarget[] }>,
): ColumnTarget[] | null {
  const own = ownColumns(header)
  if (own.length === header.length) return null
  const titles = JSON.stringify(own.map((at) => header[at]))
  for (const { header: before, columns } of imports) {
    const listed = ownColumns(before, (at) => (columns[at]?.to ?? 'ignore') !== 'ignore')
    if (JSON.stringify(listed.map((at) => before[at])) !== titles) continue
    return header.map((_, at) => columns[listed[own.indexOf(at)] ?? -1] ?? { to: 'ignore' })
  }
  return null
}
