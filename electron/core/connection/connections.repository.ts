import type { Connection } from '../../contract/connection/connections.ts'
import { AppError } from '../../contract/errors.ts'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/iso-time.ts'

interface Row {
  id: string
  name: string
  base_url: string
  kind: Connection['kind']
  colour: Connection['colour']
  production: 0 | 1
  credential_kind: Connection['credentialKind']
  username: string | null
  allow_plain_http: 0 | 1
  country: string | null
  dashboard_url: string | null
  last_used_ms: number | null
}

export type ConnectionsRepository = ReturnType<typeof createConnectionsRepository>

const columns =
  'id, name, base_url, kind, colour, production, credential_kind, username, allow_plain_http, country, dashboard_url, last_used_ms'

/** The saved connections, in `console.db`, without secrets. */
export function createConnectionsRepository(db: Database, clock: Clock) {
  const all = db.prepare(`SELECT ${columns} FROM connections ORDER BY last_used_ms DESC, name`)
  const byId = db.prepare(`SELECT ${columns} FROM connections WHERE id = ?`)
  const byName = db.prepare(`SELECT ${columns} FROM connections WHERE name = ?`)
  const upsert = db.prepare(
    `INSERT INTO connections (id, name, base_url, kind, colour, production, credential_kind, username, allow_plain_http, country, dashboard_url, created_ms)
     VALUES (@id, @name, @baseUrl, @kind, @colour, @production, @credentialKind, @username, @allowPlainHttp, @country, @dashboardUrl, @nowMs)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, base_url = excluded.base_url, kind = excluded.kind,
       colour = excluded.colour, production = excluded.production, credential_kind = excluded.credential_kind,
       username = excluded.username, allow_plain_http = excluded.allow_plain_http, country = excluded.country,
       dashboard_url = excluded.dashboard_url`,
  )
  const touch = db.prepare('UPDATE connections SET last_used_ms = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM connections WHERE id = ?')
  const folderTombstones = db.prepare<[], string>('SELECT connection_id FROM folder_tombstones').pluck()
  const addFolderTombstone = db.prepare('INSERT OR IGNORE INTO folder_tombstones (connection_id) VALUES (?)')
  const removeFolderTombstone = db.prepare('DELETE FROM folder_tombstones WHERE connection_id = ?')
  const tombstones = db.prepare('SELECT account FROM secret_tombstones ORDER BY created_ms')
  const addTombstone = db.prepare(
    'INSERT OR IGNORE INTO secret_tombstones (account, created_ms) VALUES (?, ?)',
  )
  const removeTombstone = db.prepare('DELETE FROM secret_tombstones WHERE account = ?')

  const find = (id: string) => {
    const row = byId.get(id) as Row | undefined
    return row && toConnection(row)
  }
  const findByName = (name: string) => {
    const row = byName.get(name) as Row | undefined
    return row && toConnection(row)
  }
  return {
    list: () => (all.all() as Row[]).map(toConnection),
    find,
    findByName,
    /** NOT_FOUND when there is none. */
    get(id: string): Connection {
      const connection = find(id)
      if (!connection) throw new AppError('NOT_FOUND', { what: { key: 'what.connection' } })
      return connection
    },
    /** The name, with a number if it is taken. */
    freeName(wanted: string): string {
      let name = wanted
      for (let n = 2; findByName(name); n++) name = `${wanted} ${n}`
      return name
    },
    /** Inserts or replaces by id. NAME_TAKEN when another connection has the name. */
    save(connection: Omit<Connection, 'lastUsedAt'>): Connection {
      const other = findByName(connection.name)
      if (other && other.id !== connection.id) throw new AppError('NAME_TAKEN', { name: connection.name })
      upsert.run({
        ...connection,
        production: Number(connection.production),
        allowPlainHttp: Number(connection.allowPlainHttp),
        nowMs: clock.now(),
      })
      return find(connection.id)!
    },
    touch: (id: string) => void touch.run(clock.now(), id),
    /** Removes the connection and remembers that its folder has to go. */
    remove: db.transaction((id: string) => {
      addFolderTombstone.run(id)
      remove.run(id)
    }),
    /** Removed connections whose folders may still be there. */
    folderTombstones: () => folderTombstones.all(),
    removeFolderTombstone: (id: string) => void removeFolderTombstone.run(id),
    /** Keychain accounts still to be removed. */
    tombstones: () => (tombstones.all() as { account: string }[]).map((row) => row.account),
    addTombstone: (account: string) => void addTombstone.run(account, clock.now()),
    removeTombstone: (account: string) => void removeTombstone.run(account),
  }
}

function toConnection(row: Row): Connection {
  return {
    id: row.id,
    name: row.name,
    baseUrl: row.base_url,
    kind: row.kind,
    colour: row.colour,
    production: row.production === 1,
    credentialKind: row.credential_kind,
    username: row.username,
    allowPlainHttp: row.allow_plain_http === 1,
    country: row.country,
    dashboardUrl: row.dashboard_url,
    lastUsedAt: isoTime(row.last_used_ms),
  }
}
