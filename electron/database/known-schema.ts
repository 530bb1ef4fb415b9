import Sqlite from 'better-sqlite3'
import { closeSync, openSync, readSync } from 'node:fs'
import { migrate } from './migrate.ts'
import type { Database } from './open.ts'
import { type SchemaName, schemas } from './schemas.ts'

/** Kinds of b-tree pages (sqlite.org/fileformat2.html §1.6). */
const interiorPage = 5
const leafPage = 13

/**
 * Whether SQLite can read the schema of a foreign file in few steps: its tree is a leaf, or a root over leaves that are all
 * different. Ours are. A crafted tree repeats its pages, so that opening the file would never end.
 */
export function isSchemaBounded(file: string): boolean {
  const fd = openSync(file, 'r')
  try {
    const read = (position: number, bytes: number) => {
      const buffer = Buffer.alloc(bytes)
      readSync(fd, buffer, 0, bytes, position)
      return buffer
    }
    const size = read(0, 100).readUInt16BE(16)
    const pageBytes = size === 1 ? 65_536 : size
    if (pageBytes < 512) return false
    const root = read(0, pageBytes)
    if (root[100] === leafPage) return true
    const cells = root.readUInt16BE(103)
    if (root[100] !== interiorPage || 112 + 2 * cells > pageBytes) return false
    const children = [root.readUInt32BE(108)]
    for (let cell = 0; cell < cells; cell++) {
      const at = root.readUInt16BE(112 + 2 * cell)
      if (at + 4 > pageBytes) return false
      children.push(root.readUInt32BE(at))
    }
    const isLeaf = (page: number) => page > 1 && read((page - 1) * pageBytes, 1)[0] === leafPage
    return new Set(children).size === children.length && children.every(isLeaf)
  } finally {
    closeSync(fd)
  }
}

const entriesOf = (db: Database) =>
  db
    .prepare(
      "SELECT type || char(10) || name || char(10) || tbl_name || char(10) || coalesce(sql, '') FROM sqlite_schema",
    )
    .pluck()
    .all() as string[]

/**
 * Whether a foreign database has exactly the tables and indexes that our migrations make, and no trigger or view: those are code that
 * would run with the next statement. Its own statistics may be missing or present.
 */
export function hasKnownSchema(db: Database, name: SchemaName, version: number): boolean {
  const own = new Sqlite(':memory:')
  try {
    migrate(own, schemas[name].migrations, version)
    const needed = entriesOf(own)
    own.exec('ANALYZE')
    const allowed = new Set(entriesOf(own))
    const found = entriesOf(db)
    return found.every((entry) => allowed.has(entry)) && needed.every((entry) => found.includes(entry))
  } finally {
    own.close()
  }
}
