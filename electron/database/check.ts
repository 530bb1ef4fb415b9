import Database from 'better-sqlite3'
import { unlessDamaged } from './errors.ts'
import { sizeOnDisk } from './files.ts'

/**
 * Largest database checked in full at start; larger ones get `checkRecent`. `quick_check` reads every row of
 * a STRICT table: half a second for 900,000 contacts (130 MiB), several times that on a busy machine.
 */
const wholeCheckLimitBytes = 32 * 1024 * 1024

/** Rows at the end of each table that a partial check reads: a power cut damages the latest writes. */
const recentRows = 20_000

/** Checks every page. Returns what is wrong, in SQLite's words. */
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
    // Reading is the check: a damaged page throws.
    for (const row of rows.iterate()) void row
  }
}

const problemsOf = (check: () => string[]): string[] => unlessDamaged(check, ({ message }) => [message])

/** The check at start: small files in full, large ones in part. Returns what is wrong, in SQLite's words. */
export function checkAtStart(
  db: Database.Database,
  limitBytes = wholeCheckLimitBytes,
): { problems: string[]; whole: boolean } {
  const whole = sizeOnDisk(db.name) <= limitBytes
  const problems = problemsOf(() => {
    if (whole) return checkWhole(db)
    checkRecent(db)
    return []
  })
  return { problems, whole }
}

/** Checks every page of `file` over its own connection, about a second per GiB. Safe beside a writer. */
export function checkFile(file: string): string[] {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 2000 })
  try {
    return problemsOf(() => {
      db.pragma('cell_size_check = ON')
      return checkWhole(db)
    })
  } finally {
    db.close()
  }
}
