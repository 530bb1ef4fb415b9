import Database from 'better-sqlite3'
import { isDamage } from './errors.ts'
import { sizeOnDisk } from './files.ts'

/**
 * Up to this many bytes a database is checked whole at start, larger ones only in part (`checkRecent`), so that a start
 * stays short. Measured: `quick_check` looks at each row of a STRICT table and takes half a second for 900,000 contacts in 130 MiB, on a
 * busy machine several times that.
 */
const wholeCheckLimitBytes = 32 * 1024 * 1024

/** Rows at the end of each table that a partial check reads. Damage by a power cut sits where was written last. */
const recentRows = 20_000

/** Checks every page of an open database. @returns what is wrong, in SQLite's words; empty when all is well. */
function checkWhole(db: Database.Database): string[] {
  const rows = db.pragma('quick_check(20)') as { quick_check: string }[]
  return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
}

/** Reads the schema and the last rows of every table with a rowid. Throws SQLite's error at a damaged page. */
function checkRecent(db: Database.Database): void {
  const tables = db
    .prepare<[], { name: string }>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr = 0`,
    )
    .all()
  for (const { name } of tables) {
    const rows = db.prepare(`SELECT * FROM "${name}" ORDER BY rowid DESC LIMIT ${recentRows}`).raw()
    // The answer is in the reading: a damaged page throws.
    for (const row of rows.iterate()) void row
  }
}

/**
 * Looks for damage at start: the whole file when it is small, its most recent part when it is large. The rest of a large
 * file is for `full-check.ts`, in a thread that may take its time.
 *
 * @param limitBytes the size up to which the whole file is checked.
 * @returns what is wrong, in SQLite's words; empty when nothing was found.
 */
export function checkAtStart(
  db: Database.Database,
  limitBytes = wholeCheckLimitBytes,
): { problems: string[]; whole: boolean } {
  const whole = sizeOnDisk(db.name) <= limitBytes
  try {
    if (whole) return { problems: checkWhole(db), whole }
    checkRecent(db)
    return { problems: [], whole }
  } catch (error) {
    if (isDamage(error)) return { problems: [(error as Error).message], whole }
    throw error
  }
}

/** Checks every page of `file` over a connection of its own; takes about a second per GiB. Safe beside a writer. */
export function checkFile(file: string): string[] {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 2000 })
  try {
    db.pragma('cell_size_check = ON')
    return checkWhole(db)
  } catch (error) {
    if (isDamage(error)) return [(error as Error).message]
    throw error
  } finally {
    db.close()
  }
}
