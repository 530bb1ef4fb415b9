import { AppError } from '../../contract/errors.ts'
import type { DecimalMark } from '../../contract/strict-number.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import { openContactSearch } from '../contact-store/contact-search.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { readTable } from '../table/read-table.ts'
import type { Candidate } from './candidate.ts'
import { createMarkFinder, type TwoReadings } from './mark-finder.ts'
import type { PlanOrder } from './plan-order.ts'

const pieceRows = 1_000

/** Whether all values of a source show one decimal mark; null when they don't. */
interface SourceMark {
  name: string
  mark: DecimalMark | null
  samples: TwoReadings[]
}

/** Finds the decimal marks of the number placeholders among `variables` from every recipient. */
export async function findMarks(
  order: Pick<PlanOrder, 'source' | 'variables'> & JobFiles,
  control: JobControl,
): Promise<SourceMark[]> {
  const finders = order.variables.map((variable) => ({ ...variable, finder: createMarkFinder() }))
  const add = (from: Pick<Candidate, 'tags' | 'cells' | 'numeric'>) => {
    for (const { source, finder } of finders)
      if (source.from === 'column') {
        if (!from.numeric.includes(source.column)) finder.add(from.cells[source.column] ?? '')
      } else if (source.from === 'tag') finder.add(from.tags()[source.key] ?? '')
  }
  const { source } = order
  if ('selection' in source) {
    const { search, close } = openContactSearch(order)
    try {
      for (let afterId = 0; ;) {
        const ids = search.ids(source.selection, afterId, pieceRows)
        if (ids.length === 0) break
        for (const row of search.rows(ids))
          add({ cells: [], numeric: [], tags: () => readTagsJson(row.tagsJson) ?? {} })
        afterId = ids.at(-1)!
        await control.checkpoint()
      }
    } finally {
      close()
    }
  } else
    await readTable(
      source.file,
      source.format,
      ({ cells, numeric = [], problem }) => {
        if (problem === null) add({ cells: cells.map(readCell), numeric, tags: () => ({}) })
      },
      async () => void (await control.checkpoint()),
    )
  return finders.map(({ name, finder }) => ({ name, ...finder.result() }))
}

/** The decimal mark of each number from a column or tag: the chosen one, or the one its values show. Throws INVALID_INPUT if none. */
export async function marksOf(order: PlanOrder, control: JobControl): Promise<Map<string, DecimalMark>> {
  const marks = new Map<string, DecimalMark>()
  const open = order.variables.filter(({ name, type, source }) => {
    if (type !== 'number' || (source.from !== 'column' && source.from !== 'tag')) return false
    if (source.decimals) marks.set(name, source.decimals)
    return source.decimals === undefined
  })
  if (open.length === 0) return marks
  for (const { name, mark } of await findMarks({ ...order, variables: open }, control)) {
    if (mark === null) throw new AppError('INVALID_INPUT', { detail: { key: 'input.decimals', name } })
    marks.set(name, mark)
  }
  return marks
}
