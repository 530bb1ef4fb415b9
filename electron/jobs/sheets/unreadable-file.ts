import { AppError } from '../../contract/errors.ts'

/** Why a file can't be read as a table: the key of a phrase. */
export type FileFault =
  | 'encrypted'
  | 'oldExcel'
  | 'binaryExcel'
  | 'notTable'
  | 'webPage'
  | 'ldif'
  | 'json'
  | 'damaged'
  | 'bomb'
  | 'noSheet'

/** IMPORT_FILE_UNREADABLE without the file's name, which the core adds. */
export const unreadableFile = (fault: FileFault) =>
  new AppError('IMPORT_FILE_UNREADABLE', { name: '', detail: { key: `file.${fault}` } })
