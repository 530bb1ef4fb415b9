import { AppError } from '../../contract/errors.ts'
import { type DecimalMark, readNumber } from '../../contract/strict-number.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import { openContactSearch } from '../contact-store/contact-search.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { readTable } from '../table/read-table.ts'
import type { Candidate } from './candidate.ts'
import type { PlanOrder } from './plan-order.ts'

/** A value read both ways; null where it is no number. */
interface TwoReadings {
  written: string
  point: string | null
  comma: string | null
}

/** Where both marks occur, one must fit this many times as many values as the other. */
const clearShare = 2
const samplesMax = 3

/**
 * Finds the decimal mark of a column from all its values. `mark` is null when it isn't clear: no value shows it, or values show both marks
 * and none has both, as `1.234,50`. `samples` are values with two meanings, then values that fit only one mark.
 */
export function createMarkFinder() {
  const only = { point: 0, comma: 0 }
  /** Those of them with groups and decimals, which no slip of a finger makes. */
  const proofs = { point: 0, comma: 0 }
  let ambiguous = 0
  const samples: { ambiguous: TwoReadings[]; single: TwoReadings[] } = { ambiguous: [], single: [] }
  const take = (kind: keyof typeof samples, one: TwoReadings) => {
    const kept = samples[kind]
    if (kept.length < samplesMax && kept.every(({ written }) => written !== one.written)) kept.push(one)
  }
  return {
    add(written: string): void {
      const point = readNumber(written, 'point')
      const comma = readNumber(written, 'comma')
      const one = { written, point: point.ok ? point.text : null, comma: comma.ok ? comma.text : null }
      if (one.point === one.comma) return
      if (one.point !== null && one.comma !== null) {
        ambiguous++
        return take('ambiguous', one)
      }
      const mark = one.comma === null ? 'point' : 'comma'
      only[mark]++
      if (/\.\d/.test(written) && /,\d/.test(written)) proofs[mark]++
      take('single', one)
    },
    result(): { mark: DecimalMark | null; samples: TwoReadings[] } {
      const [mark, other] =
        only.comma > only.point ? (['comma', 'point'] as const) : (['point', 'comma'] as const)
      const isProven = proofs[mark] > 0 && proofs[other] === 0 && only[mark] >= clearShare * only[other]
      const isClear = only[mark] === 0 ? ambiguous === 0 : only[other] === 0 || isProven
      return {
        mark: isClear ? mark : null,
        samples: [...samples.ambiguous, ...samples.single].slice(0, samplesMax),
      }
    },
  }
}

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
