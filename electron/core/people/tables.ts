import { AppError } from '../../contract/errors.ts'
import { columnOf, columnsFor } from '../../contract/people/column-order.ts'
import type { Language } from '../../contract/texts.ts'
import type { ColumnTarget } from '../../contract/people/imports.ts'
import type { GivenFormat } from '../../jobs/table/inspect-table.ts'
import type { Reading } from '../../lib/phone/guess-reading.ts'
import type { FileStore } from '../platform/files/file-store.ts'
import { runJob } from '../platform/tasks/job-runner.ts'
import { guessColumns, lacksAreaCode } from './guess-columns.ts'

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
  /** The likely meaning of each column. */
  const guess = (): ColumnTarget[] => guessColumns(found.header, rows, found.format.headerRow > 0)
  const { header, sample } = found
  const areaCodes = header.flatMap((numbers, at) =>
    lacksAreaCode(header, sample, at)
      ? { key: 'table.areaCodes' as const, column: header[at - 1]!, numbers }
      : [],
  )
  return {
    path,
    name,
    sizeBytes,
    found: { ...found, warnings: [...found.warnings, ...areaCodes] },
    rows,
    guess,
  }
}

/** Inspects a table with a number in each row: its first rows and the likely columns. Throws as `inspectFile`. */
export async function inspectNumbers(store: FileStore, fileId: string, language?: Language) {
  const { found, rows, guess } = await inspectFile(store, fileId, language)
  const columns = guess()
  const phones = columnsFor(columns, 'phone')
  const hasValues = (at: number) => rows.some((cells) => (cells[at] ?? '').trim() !== '')
  return {
    header: found.header,
    sample: found.sample,
    headerRow: found.format.headerRow,
    phoneColumn: phones.find(hasValues) ?? phones[0] ?? 0,
    nameColumn: columnOf(columns, 'name'),
    countryColumn: columnOf(columns, 'country'),
  }
}

/** The saved options for reading phone numbers. */
export const readingOf = (saved: Reading): Reading => ({
  region: saved.region,
  hasCountryCodes: saved.hasCountryCodes,
})
