import { AppError } from '../../contract/errors.ts'
import type { Language } from '../../contract/texts.ts'
import { type GivenFormat, inspectTable } from '../../jobs/table/read-table.ts'
import type { Reading } from '../../lib/phone/guess-reading.ts'
import type { FileStore } from '../platform/files/file-store.ts'

/** Reads the start of an uploaded table. Throws IMPORT_FILE_EMPTY, IMPORT_FILE_NOT_TEXT. */
export function inspectFile(store: FileStore, fileId: string, language?: Language, format?: GivenFormat) {
  const { path, name, sizeBytes } = store.complete(fileId)
  if (sizeBytes === 0) throw new AppError('IMPORT_FILE_EMPTY', { name })
  const found = inspectTable(path, format, language)
  if (found.binary) throw new AppError('IMPORT_FILE_NOT_TEXT', { name, detail: { key: 'csv.binary' } })
  if (found.header.length === 0) throw new AppError('IMPORT_FILE_EMPTY', { name })
  return { path, name, sizeBytes, found }
}

/** The saved options for reading phone numbers. */
export const readingOf = (saved: Reading): Reading => ({
  region: saved.region,
  hasCountryCodes: saved.hasCountryCodes,
})
