import Database from 'better-sqlite3'
import { isDamage, isRowRefused, unlessDamaged } from './errors.ts'
import { schemaVersion } from './migrate.ts'

export interface SalvagedTable {
  table: string
  /** Rows recovered into the new file. */
  kept: number
  /** Rows known to be missing, null when unknown. 0 only when the table was read completely. */
  lost: number | null
}

/** Gives up on a table after this many unreadable places, so that a start ends. */
const maxFailures = 20_000
const rowsPerTransaction = 5_000

/** Opens a damaged file read-only. `writable_schema` makes SQLite accept a file shorter than its header says. */
function openDamaged(file: string): Database.Database {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 1000 })
  try {
    db.unsafeMode(true)
    db.pragma('writable_schema = ON')
    db.pragma('cell_size_check = ON')
    db.pragma('trusted_schema = OFF')
    db.defaultSafeIntegers(true)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Schema version of a damaged file, or null when unreadable. */
export function damagedVersion(file: string): number | null {
  const read = () => {
    const db = openDamaged(file)
    try {
      return Number(schemaVersion(db))
    } finally {
      db.close()
    }
  }
  return unlessDamaged<number | null>(read, () => null)
}

type Row = [rowid: bigint, ...values: unknown[]]

interface Reader {
  /** Readable rows, each once. */
  rows(): Generator<Row>
  /** Places that could not be read. */
  failures(): number
}

/**
 * Reads a table around its damaged pages: up until a page fails, down from the other end until a page fails,
 * then both halves of what is between.
 */
function createReader(db: Database.Database, table: string, columns: string[]): Reader {
  const list = ['rowid', ...columns.map((column) => `"${column}"`)].join(', ')
  const range = `SELECT ${list} FROM "${table}" WHERE rowid > ? AND rowid < ? ORDER BY rowid`
  const up = db.prepare<[bigint, bigint], Row>(range).raw()
  const down = db.prepare<[bigint, bigint], Row>(`${range} DESC`).raw()
  let failures = 0

  /** Yields from one end of (low, high). Returns the last rowid before a failure, null when it came through. */
  function* scan(
    statement: typeof up,
    low: bigint,
    high: bigint,
  ): Generator<Row, { failedAfter: bigint | undefined } | null> {
    let last: bigint | undefined
    try {
      for (const row of statement.iterate(low, high)) {
        last = row[0]
        yield row
      }
      return null
    } catch (error) {
      if (!isDamage(error)) throw error
      failures++
      return { failedAfter: last }
    }
  }

  function* readBetween(first: bigint, last: bigint): Generator<Row> {
    const open: [bigint, bigint][] = [[first, last]]
    while (open.length > 0 && failures < maxFailures) {
      let [low, high] = open.pop()!
      const upwards = yield* scan(up, low, high)
      if (upwards === null) continue
      low = upwards.failedAfter ?? low
      const downwards = yield* scan(down, low, high)
      if (downwards === null) continue
      high = downwards.failedAfter ?? high
      if (high - low <= 2n) continue
      const middle = (low + high) / 2n
      open.push([middle, high], [low, middle + 1n])
    }
  }

  return { rows: () => readBetween(-(2n ** 63n), 2n ** 63n - 1n), failures: () => failures }
}

const columnsOf = (db: Database.Database, table: string): string[] =>
  (db.pragma(`table_info("${table}")`) as { name: string }[]).map((column) => column.name)

/** Identifies the contact store. A replacement is a new store and counts its changes from the start. */
const isIdentity = (table: string) => table === 'store'

function copyTable(from: Database.Database, to: Database.Database, table: string): SalvagedTable {
  const columns = columnsOf(to, table)
  const readable = columnsOf(from, table).filter((column) => columns.includes(column))
  if (readable.length === 0) return { table, kept: 0, lost: null }
  // Rows a new database starts with give way to the damaged one's.
  const seeded = new Set(
    isIdentity(table)
      ? []
      : to.prepare<[], bigint>(`SELECT rowid FROM "${table}"`).pluck().safeIntegers().all(),
  )
  const names = readable.map((column) => `"${column}"`).join(', ')
  const put = (or: 'IGNORE' | 'REPLACE') =>
    to.prepare(`INSERT OR ${or} INTO "${table}" (${names}) VALUES (${readable.map(() => '?').join(', ')})`)
  const [insert, replace] = [put('IGNORE'), put('REPLACE')]
  const reader = createReader(from, table, readable)
  let kept = 0
  let refused = 0
  const write = to.transaction((rows: Row[]) => {
    for (const [rowid, ...values] of rows) {
      try {
        if ((seeded.has(rowid) ? replace : insert).run(...values).changes === 1) kept++
        else refused++
      } catch (error) {
        if (!isRowRefused(error)) throw error
        // Damaged bytes no longer fit the column's type or a check.
        refused++
      }
    }
  })
  let batch: Row[] = []
  for (const row of reader.rows()) {
    batch.push(row)
    if (batch.length === rowsPerTransaction) {
      write(batch)
      batch = []
    }
  }
  write(batch)
  if (isIdentity(table)) return { table, kept: 0, lost: 0 }
  return { table, kept, lost: reader.failures() > 0 ? null : refused }
}

/** Removes rows whose parent was lost. Returns how many, by table. */
function dropOrphans(db: Database.Database): Map<string, number> {
  const dropped = new Map<string, number>()
  const orphans = db.pragma('foreign_key_check') as { table: string; rowid: number }[]
  for (const { table, rowid } of orphans) {
    if (db.prepare(`DELETE FROM "${table}" WHERE rowid = ?`).run(rowid).changes === 1)
      dropped.set(table, (dropped.get(table) ?? 0) + 1)
  }
  return dropped
}

/**
 * Copies every readable row of the damaged `file` into `to`, a new database of the same schema version. Skips
 * tables WITHOUT ROWID: by convention they hold sums rebuilt from other tables. Never throws for damage;
 * throws SQLite's error when `to` can't be written.
 */
export function salvageInto(to: Database.Database, file: string): SalvagedTable[] {
  const tables = to
    .prepare<[], string>(
      `SELECT name FROM pragma_table_list
       WHERE schema = 'main' AND type = 'table' AND wr = 0 AND name NOT LIKE 'sqlite_%'
       ORDER BY name`,
    )
    .pluck()
    .all()
  const unread = (table: string): SalvagedTable => ({ table, kept: 0, lost: null })
  const from = unlessDamaged<Database.Database | null>(
    () => openDamaged(file),
    () => null,
  )
  if (from === null) return tables.map(unread)
  try {
    to.pragma('foreign_keys = OFF')
    const results = tables.map((table) =>
      unlessDamaged(
        () => copyTable(from, to, table),
        () => unread(table),
      ),
    )
    const orphans = dropOrphans(to)
    return results.map((result) => {
      const dropped = orphans.get(result.table) ?? 0
      return {
        ...result,
        kept: result.kept - dropped,
        lost: result.lost === null ? null : result.lost + dropped,
      }
    })
  } finally {
    to.pragma('foreign_keys = ON')
    from.close()
  }
}
