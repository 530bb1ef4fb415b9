import type { InputOf } from '../../../contract/define.ts'
import type { ContactRow, contactsContract, ContactSort } from '../../../contract/people/contacts.ts'
import { AppError } from '../../../contract/errors.ts'
import { openReader } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { readTagsJson } from '../../../lib/tags-json.ts'
import { type StoreRow, changedHere, marks, stateOf } from '../../../jobs/contact-store/store-types.ts'
import { createContactSearch } from '../../../jobs/contact-store/contact-search.ts'
import { createOtherReadings } from '../../../jobs/contact-store/other-readings.ts'
import { committed } from '../../../jobs/imports/import-progress.ts'
import { readNumberList } from '../../../jobs/contact-store/number-list.ts'
import { type OrderPlace, sortKeyOf } from '../../../jobs/contact-store/contact-walk.ts'
import type { ContactStore } from './contact-store-client.ts'
import type { ContactOrder } from '../../../jobs/contact-store/contact-order.ts'

/** While contacts keep changing, the wait between reads is this many times the last read's duration. */
const restShare = 4

/** Sort orders of all contacts, cached from the first page that needs one. 8 MB each for a million contacts. */
function createContactOrders(reads: Pick<ContactStore['reads'], 'order'>, version: () => number) {
  const cache = new Map<ContactSort['by'], { order: ContactOrder; version: number; restUntilMs: number }>()
  const reading = new Map<ContactSort['by'], Promise<ContactOrder>>()

  function read(by: ContactSort['by']): Promise<ContactOrder> {
    const running = reading.get(by)
    if (running) return running
    const versionBefore = version()
    const beganMs = performance.now()
    const promise = reads
      .order(by)
      .then((order) => {
        const endedMs = performance.now()
        cache.set(by, {
          order,
          version: versionBefore,
          restUntilMs: endedMs + (endedMs - beganMs) * restShare,
        })
        return order
      })
      .finally(() => reading.delete(by))
    reading.set(by, promise)
    return promise
  }

  return {
    /** The cached order, or null before the first read. Starts a new read if contacts have changed. */
    now(by: ContactSort['by']): ContactOrder | null {
      const cached = cache.get(by)
      // If the read fails, the next page tries again.
      if (!cached || (cached.version !== version() && performance.now() >= cached.restUntilMs))
        read(by).catch(() => {})
      return cached?.order ?? null
    },
    wait(by: ContactSort['by']): Promise<ContactOrder> {
      const cached = cache.get(by)
      return cached ? Promise.resolve(cached.order) : read(by)
    },
  }
}

export function toContactRow(
  row: StoreRow,
  { replacing, unsure }: Pick<ContactRow, 'replacing' | 'unsure'>,
): ContactRow {
  const tags = readTagsJson(row.tagsJson)
  return {
    id: row.id,
    name: row.name,
    phone: `+${row.digits}`,
    email: row.email,
    tags: tags ?? {},
    tagsUnreadable: tags === null,
    state: stateOf(row),
    serviceId: row.serviceId,
    dnc: (row.marks & marks.dnc) !== 0,
    held: (row.marks & marks.held) !== 0,
    unsure,
    changedHere: (row.marks & changedHere) !== 0,
    replacing,
    hasNote: row.hasNote === 1,
    createdAt: isoTime(row.createdMs),
    updatedAt: isoTime(row.updatedMs),
  }
}

export type ContactList = ReturnType<typeof openContactList>

/** Rows sorted by name are spread over distant pages; SQLite's default 2 MiB cache would miss on nearly every row. */
const contactsCacheMiB = 64
const indexCacheMiB = 32

/** A place in a sort order: sort key and id of a row, and the number of rows before it. */
interface Place extends OrderPlace {
  sort: ContactSort
  at: number
}

const placeOf = (row: StoreRow, sort: ContactSort, at: number): Place => ({
  key: sortKeyOf(row, sort.by),
  id: row.id,
  sort,
  at,
})

const toCursor = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url')

function fromCursor(cursor: string, { by, descending }: ContactSort): Place {
  try {
    const place = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Place
    const isKey = typeof place.key === (by === 'name' ? 'string' : 'number')
    const isHere = place.sort.by === by && place.sort.descending === descending
    if (typeof place.id === 'number' && typeof place.at === 'number' && isKey && isHere) return place
  } catch {
    // Falls through to the error below.
  }
  throw new AppError('INVALID_INPUT', { detail: { key: 'input.otherCursor' } })
}

/** Reads contacts over connections of its own, beside the contacts thread. Throws `STORAGE_*` errors. */
export function openContactList(
  files: { contactsFile: string; searchFile: string },
  contactStore: ContactStore,
) {
  const contactsReader = openReader(files.contactsFile, { cacheMiB: contactsCacheMiB })
  const searchReader = openReader(files.searchFile, { cacheMiB: indexCacheMiB })
  const search = createContactSearch(contactsReader.db, searchReader.db)
  const newest = contactsReader.db.prepare<[], number | null>('SELECT max(id) FROM contacts').pluck()
  const version = contactsReader.db.prepare<[], number>('SELECT version FROM store').pluck()
  const rest = contactsReader.db.prepare<
    [number],
    { note: string; importId: string | null; lastProblem: string | null }
  >(`SELECT c.note, i.id AS importId, c.last_problem AS lastProblem
     FROM contacts c LEFT JOIN imports i ON i.no = c.import_no WHERE c.id = ?`)
  const ofServiceId = contactsReader.db.prepare<[string], { id: number; phone: string }>(
    `SELECT id, '+' || digits AS phone FROM contacts WHERE service_id = ?`,
  )
  // Not by a filter, which reads all contacts up to the first one.
  const imported = contactsReader.db
    .prepare<[string, string], 0 | 1>(
      `SELECT EXISTS (SELECT 1 FROM imports i JOIN contacts c ON c.id BETWEEN i.first_id AND i.last_id AND c.import_no = i.no
         WHERE i.id = ?)
       OR EXISTS (SELECT 1 FROM import_changes i JOIN contacts c ON c.id = i.contact_id WHERE i.import_id = ?)`,
    )
    .pluck()
  const orders = createContactOrders(contactStore.reads, () => version.get() ?? 0)

  /** The row at a position among all contacts, approximately, as a scrollbar needs: the order may be outdated. */
  async function rowAt(sort: ContactSort, position: number): Promise<Place | null> {
    const { ids } = await orders.wait(sort.by)
    for (let at = Math.min(position, ids.length - 1); at >= 0; at--) {
      const row = search.rows([ids[sort.descending ? ids.length - 1 - at : at]!])[0]
      if (row) return placeOf(row, sort, at)
    }
    return null
  }

  const others = createOtherReadings(contactsReader.db)
  return {
    async page(query: InputOf<typeof contactsContract, 'list'>) {
      const { filter, sort, limit, cursor, position } = query
      const from =
        cursor !== undefined
          ? fromCursor(cursor, sort)
          : position
            ? ((await rowAt(sort, position - 1)) ?? undefined)
            : undefined
      const { items, more, count, resumeAfter } = search.page({
        filter,
        sort,
        limit,
        from,
        order: orders.now(sort.by),
      })
      const last = items.at(-1)
      const firstAt = from ? from.at + 1 : 0
      const lastAt = firstAt + items.length - 1
      /** The next page starts after the last row examined. */
      const next = resumeAfter ? { ...resumeAfter, sort, at: lastAt } : last && placeOf(last, sort, lastAt)
      return {
        items,
        position: firstAt,
        nextCursor: more && next ? toCursor(next) : null,
        count,
        anyOfNumbers: readNumberList(filter.text).length,
        version: version.get() ?? 0,
      }
    },
    detail(id: number) {
      const row = search.rows([id])[0]
      const more = rest.get(id)
      return row && more ? { row, ...more } : null
    },
    importProgress: (importId: string) => committed(contactsReader.db, importId),
    /** Whether contacts of an import are left. */
    hasImported: (importId: string) => imported.get(importId, importId) === 1,
    rows: search.rows,
    byDigits: search.byDigits,
    ofServiceId: (serviceId: string) => ofServiceId.all(serviceId),
    otherReadings: others.of,
    /** The other numbers of the contacts that have or may have this one. */
    relatedNumbers(digits: number): number[] {
      const own = [digits, ...others.owners(digits)]
      return [...new Set([...own, ...own.flatMap(others.of)])].filter((number) => number !== digits)
    },
    /** The highest contact id. Later contacts get higher ids. */
    newestId: () => newest.get() ?? 0,
    version: () => version.get() ?? 0,
    close() {
      searchReader.close()
      contactsReader.close()
    },
  }
}
