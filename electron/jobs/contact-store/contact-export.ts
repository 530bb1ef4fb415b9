import type { ContactSelection } from '../../contract/people/contacts.ts'
import type { Database } from '../../database/open.ts'
import { isoTime } from '../../lib/iso-time.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import { contactStates, marks } from './store-types.ts'
import { openContactSearch } from './contact-search.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { createTable, type TableKind } from '../run/target-file.ts'
import { type CsvColumn, titlesOf } from '../run/csv-headers.ts'

const pieceRows = 2_000

export interface ContactsOrder extends JobFiles {
  target: string
  selection: ContactSelection
  columns: CsvColumn[]
  tagColumns: boolean
  /** Default CSV. */
  format?: TableKind | undefined
}

export async function exportContacts(order: ContactsOrder, control: JobControl): Promise<{ rows: number }> {
  const { contactsDb, search, close } = openContactSearch(order)
  const target = await createTable(order.target, order.format)
  try {
    const noteOf = contactsDb.prepare<[number], string>('SELECT note FROM contacts WHERE id = ?').pluck()
    const tagKeys = order.tagColumns && order.columns.includes('tags') ? allTagKeys(contactsDb) : []
    const columns = order.columns.filter((column) => column !== 'tags' || !order.tagColumns)
    const [tagTitle] = titlesOf(['tag'], order.language)
    target.row([...titlesOf(columns, order.language), ...tagKeys.map((key) => `${tagTitle}.${key}`)])
    let rows = 0
    for (let afterId = 0; ;) {
      const ids = search.ids(order.selection, afterId, pieceRows)
      if (ids.length === 0) break
      for (const row of search.rows(ids)) {
        const tags = readTagsJson(row.tagsJson) ?? {}
        const values: Record<string, () => string> = {
          name: () => row.name,
          first_name: () => row.firstName,
          last_name: () => row.lastName,
          phone: () => `+${row.digits}`,
          email: () => row.email,
          tags: () => (row.tagsJson === '{}' ? '' : row.tagsJson),
          state: () => contactStates[row.state] ?? '',
          service_id: () => row.serviceId ?? '',
          dnc: () => (row.marks & marks.dnc ? 'yes' : 'no'),
          held: () => (row.marks & marks.held ? 'yes' : 'no'),
          note: () => (row.hasNote ? (noteOf.get(row.id) ?? '') : ''),
          created_at: () => isoTime(row.createdMs),
          updated_at: () => isoTime(row.updatedMs),
        }
        target.row([
          ...columns.map((column) => values[column]?.() ?? ''),
          ...tagKeys.map((key) => (Object.hasOwn(tags, key) ? tags[key]! : '')),
        ])
        rows++
      }
      afterId = ids.at(-1)!
      control.progress(rows, null, { rows })
      await target.drained()
      await control.checkpoint()
    }
    await target.finish()
    return { rows }
  } finally {
    target.abandon()
    close()
  }
}

function allTagKeys(db: Database): string[] {
  const keys = new Set<string>()
  const used = 'SELECT json FROM tag_sets WHERE id IN (SELECT DISTINCT tag_set FROM contacts)'
  for (const json of db.prepare<[], string>(used).pluck().iterate())
    for (const key of Object.keys(readTagsJson(json) ?? {})) keys.add(key)
  return [...keys].sort()
}
