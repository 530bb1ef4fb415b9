import { existsSync, readFileSync, truncateSync } from 'node:fs'
import type { ColumnTarget, ImportChoices } from '../../../contract/people/imports.ts'
import type { JobFiles } from '../../../jobs/run/job-control.ts'
import { isColumnName } from '../../../jobs/run/csv-headers.ts'
import { createTarget, jsonLine } from '../../../jobs/run/target-file.ts'
import { readHeader } from '../../../jobs/table/inspect-table.ts'
import { ownColumns } from '../../../jobs/table/rejected-rows.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { StoredImport } from './imports.repository.ts'

export type ImportFiles = ReturnType<typeof createImportFiles>

export const isUsed = (choices: ImportChoices | null) => (at: number) =>
  (choices?.columns[at]?.to ?? 'ignore') !== 'ignore'

/** What an import keeps after its file is gone: rejected rows and column titles. */
export function createImportFiles(store: FileStore, jobFiles: JobFiles) {
  const rejected = (importId: string) => `${store.path(importId)}.rejected`
  const headerFile = (importId: string) => `${store.path(importId)}.header`

  /** Null before an import begins, and once erased with a person's data. */
  const keptHeader = (importId: string): string[] | null =>
    existsSync(headerFile(importId))
      ? (JSON.parse(readFileSync(headerFile(importId), 'utf8')) as string[])
      : null

  function headerOf({ id, fileId, choices }: StoredImport): string[] {
    const kept = keptHeader(id)
    if (kept) return kept
    return choices ? readHeader(store.complete(fileId).path, choices.format, jobFiles.language) : []
  }

  return {
    rejected,
    keptHeader,
    headerOf,
    /** Drops rejected rows that were written but not committed. */
    truncateRejected(importId: string, bytes: number): void {
      if (existsSync(rejected(importId))) truncateSync(rejected(importId), bytes)
    },
    storeHeader(record: StoredImport): void {
      if (existsSync(headerFile(record.id))) return
      const target = createTarget(headerFile(record.id))
      try {
        target.line(jsonLine(headerOf(record)))
        target.finish()
      } finally {
        target.abandon()
      }
    },
    /**
     * Columns and country of the first of `imports` with the same titles; null for none, and for a file without titles. A list of rejected
     * rows has those of the import whose rows it lists.
     */
    formerChoices(header: readonly string[], imports: readonly StoredImport[]) {
      const own = ownColumns(header)
      if (own.every((at) => isColumnName(header[at], at))) return null
      const titles = JSON.stringify(own.map((at) => header[at]))
      for (const record of imports) {
        if (!record.choices || record.state === 'undone' || !existsSync(headerFile(record.id))) continue
        const before = headerOf(record)
        const listed = ownColumns(before, isUsed(record.choices))
        if (JSON.stringify(listed.map((at) => before[at])) !== titles) continue
        const { columns, defaultRegion: region, hasCountryCodes } = record.choices
        return {
          columns: header.map(
            (_, at): ColumnTarget => columns[listed[own.indexOf(at)] ?? -1] ?? { to: 'ignore' },
          ),
          reading: { region, hasCountryCodes },
        }
      }
      return null
    },
  }
}
