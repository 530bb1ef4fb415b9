import type { RecipientSource } from '../../../contract/people/templates.ts'
import type { Language } from '../../../contract/texts.ts'
import type { PlanOrder } from '../../../jobs/sends/plan-order.ts'
import { ownColumns } from '../../../jobs/table/rejected-rows.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { namesIn, numberTable, readingOf } from '../tables.ts'
import type { StoredSend } from './ott-sends.repository.ts'

/** Where a send's recipients come from, and the columns of its file. */
export async function sourceOf(
  source: RecipientSource,
  { store, language }: { store: FileStore; language: Language | undefined },
): Promise<{ from: PlanOrder['source']; header: string[] | null }> {
  if ('contacts' in source) return { from: { selection: source.contacts }, header: null }
  const { phoneColumn, nameColumn, consent: choices = [] } = source.file
  const { file, format, header, columns, consent } = await numberTable(
    store,
    {
      ...source.file,
      phone: phoneColumn,
      more: source.file.numberColumns,
      country: source.file.countryColumn,
    },
    language,
  )
  const { region: defaultRegion, hasCountryCodes } = readingOf(source.file)
  const refusing = {
    file,
    choices: { format, columns, defaultRegion, hasCountryCodes, consent: choices },
    consent,
    header,
    unasked: 'skip' as const,
    language,
  }
  return { from: { file, format, names: namesIn(columns, nameColumn), refusing }, header }
}

/** Columns for the skipped rows of a file; null for contacts and for older dry runs. */
export function skippedTable({ samples: shown, order: { source, mapping } }: StoredSend) {
  if (!shown?.header || !('file' in source)) return null
  const { phoneColumn, nameColumn } = source.file
  const used = new Set([
    phoneColumn,
    nameColumn,
    ...mapping.map(({ source: from }) => (from.from === 'column' ? from.column : null)),
  ])
  return { header: shown.header, own: ownColumns(shown.header, (at) => used.has(at)) }
}
