import { AppError } from '../../contract/errors.ts'
import { columnOf, columnsFor } from '../../contract/people/column-order.ts'
import type { Language } from '../../contract/texts.ts'
import type { ColumnTarget, CsvFormat } from '../../contract/people/imports.ts'
import type { GivenFormat } from '../../jobs/table/inspect-table.ts'
import type { Reading } from '../../lib/phone/guess-reading.ts'
import type { FileStore } from '../platform/files/file-store.ts'
import { runJob } from '../platform/tasks/job-runner.ts'
import { columnsWithArea } from '../../jobs/table/area-code.ts'
import { consentColumns } from '../../jobs/table/consent-words.ts'
import { readTitles } from '../../jobs/table/inspect-table.ts'
import { guessColumns, parentsNumbers } from './guess-columns.ts'

/** Inspects an uploaded table in a job. Throws IMPORT_FILE_EMPTY, IMPORT_FILE_NOT_TEXT. */
export async function inspectFile(
  store: FileStore,
  fileId: string,
  language?: Language,
  given?: GivenFormat,
) {
  const { path, name, sizeBytes } = store.complete(fileId)
  if (sizeBytes === 0) throw new AppError('IMPORT_FILE_EMPTY', { name })
  const { rows, ...found } = await runJob({ job: 'inspect-table', file: path, given, language })
  if (found.binary) throw new AppError('IMPORT_FILE_NOT_TEXT', { name, detail: { key: 'csv.binary' } })
  if (found.header.length === 0) throw new AppError('IMPORT_FILE_EMPTY', { name })
  const guess = (): ColumnTarget[] => guessColumns(found.header, rows, found.format.headerRow > 0)
  const { header, sample } = found
  const areaCodes = columnsWithArea(header, sample).map((at) => ({
    key: 'table.areaCodes' as const,
    column: header[at - 1]!,
    numbers: header[at]!,
  }))
  return {
    path,
    name,
    sizeBytes,
    found: { ...found, warnings: [...found.warnings, ...areaCodes] },
    rows,
    guess,
    parentsNumbers: (columns: readonly ColumnTarget[]) => parentsNumbers(header, rows, columns),
  }
}

/** Inspects a table with a number in each row: its first rows and the likely columns. Throws as `inspectFile`. */
export async function inspectNumbers(store: FileStore, fileId: string, language?: Language) {
  const { found, rows, guess } = await inspectFile(store, fileId, language)
  const columns = guess()
  const phones = columnsFor(columns, 'phone')
  const hasValues = (at: number) => rows.some((cells) => (cells[at] ?? '').trim() !== '')
  const phoneColumn = phones.find(hasValues) ?? phones[0] ?? 0
  return {
    header: found.header,
    sample: found.sample,
    headerRow: found.format.headerRow,
    phoneColumn,
    numberColumns: phones,
    nameColumn: nameColumnOf(columns),
    countryColumn: columnOf(columns, 'country'),
    guesses: columns,
  }
}

const nameColumnOf = (columns: readonly ColumnTarget[]): number | null =>
  columnOf(columns, 'name') ?? columnOf(columns, 'first-name') ?? columnOf(columns, 'last-name')

/** The columns that hold a name: all that were found, unless the operator chose another one or none. */
export const namesIn = (columns: readonly ColumnTarget[], chosen: number | null): ColumnTarget[] =>
  columns.map((target, at) => {
    if (chosen === nameColumnOf(columns)) return target
    return { to: at === chosen ? 'name' : 'ignore' }
  })

/** A file of numbers, with its columns as the operator has them: a row's number is in the first readable one of `phone` and `more`. */
interface NumberSource {
  fileId: string
  headerRow: number
  phone: number
  more: readonly number[] | undefined
  country: number | null | undefined
}

/** A file with numbers in each row as jobs read it. */
export async function numberTable(
  store: FileStore,
  { fileId, headerRow, phone, more, country }: NumberSource,
  language?: Language,
) {
  const { path, name, found, guess } = await inspectFile(store, fileId, language, { headerRow })
  const { format, header } = found
  const columns = guess().map((target, at): ColumnTarget => {
    if (at === phone) return { to: 'phone' }
    if (at === country) return { to: 'country' }
    const rank = target.to === 'phone' ? (target.rank ?? 1) : header.length
    const isPhone: boolean = more ? more.includes(at) : target.to === 'phone'
    if (isPhone) return { to: 'phone', rank }
    return target.to === 'country' || target.to === 'phone' ? { to: 'ignore' } : target
  })
  return { file: path, format, header, columns, consent: consentIn({ path, name }, format, header) }
}

/** The columns of a file that may be about consent: also by its name, and by the title lines above its table. */
export const consentIn = (
  file: { path: string; name: string },
  format: CsvFormat,
  header: readonly string[],
) => consentColumns(header, [file.name, ...readTitles(file.path, format)])

export const readingOf = (saved: Reading): Reading => ({
  region: saved.region,
  hasCountryCodes: saved.hasCountryCodes,
})
