import type { Database } from '../../../database/open.ts'
import type { TeamMark } from './held-in.ts'
import { type TeamEntry, textOf } from './team-entries.ts'

interface Team {
  author: string
  relayId: string | null
  seq: number
  readMs: number | null
}

export type TeamRepository = ReturnType<typeof createTeamRepository>

const holdIdOf = (entry: TeamEntry) => (entry.kind === 'hold' ? entry.id : entry.hold)

/** The team of a connection and what is known of its log, in `state.db`. */
export function createTeamRepository(db: Database) {
  const get = db.prepare<[], Team>('SELECT author, relay_id AS relayId, seq, read_ms AS readMs FROM team')
  const add = db.prepare<[string, string, string]>(
    'INSERT OR IGNORE INTO team_entries (hold_id, kind, text, on_relay) VALUES (?, ?, ?, 0)',
  )
  const find = db
    .prepare<[string, string], number>('SELECT on_relay FROM team_entries WHERE hold_id = ? AND kind = ?')
    .pluck()
  const read = db.prepare<[string, string]>(
    `INSERT INTO team_entries (hold_id, kind, text, on_relay) VALUES (?, ?, '', 1)
     ON CONFLICT (hold_id, kind) DO UPDATE SET on_relay = 1 WHERE on_relay = 0`,
  )
  const marks = db.prepare<[string], TeamMark>(
    'SELECT hold_id AS holdId, kind FROM team_entries WHERE hold_id = ?',
  )
  const toPost = "on_relay = 0 AND text <> ''"
  const waiting = db.prepare<[number], { key: string; text: string }>(
    `SELECT kind || hold_id AS key, text FROM team_entries WHERE ${toPost} LIMIT ?`,
  )
  const countWaiting = db.prepare<[], number>(`SELECT count(*) FROM team_entries WHERE ${toPost}`).pluck()
  const countUnverified = db
    .prepare<[], number>('SELECT count(*) FROM holds WHERE verified = 0 AND ended_ms IS NULL')
    .pluck()

  return {
    /** Null while this computer is in no team. */
    team: (): Team | null => get.get() ?? null,
    join: (author: string) => void db.prepare('INSERT INTO team (id, author) VALUES (1, ?)').run(author),
    /** What was shared stays known here: on the way back only news counts. */
    leave: db.transaction(() => {
      db.prepare('DELETE FROM team').run()
      db.prepare("UPDATE team_entries SET on_relay = 0 WHERE text <> ''").run()
    }),
    /** Another log: own entries may be missing there. */
    startOver: db.transaction((relayId: string) => {
      db.prepare('UPDATE team SET relay_id = ?, seq = 0').run(relayId)
      db.prepare("UPDATE team_entries SET on_relay = 0 WHERE text <> ''").run()
    }),
    setPosition: (seq: number) => void db.prepare('UPDATE team SET seq = ?').run(seq),
    setRead: (nowMs: number) => void db.prepare('UPDATE team SET read_ms = ?').run(nowMs),
    /** Queues an own entry. */
    share: (entry: TeamEntry) => void add.run(holdIdOf(entry), entry.kind, textOf(entry)),
    isKnown: (kind: TeamEntry['kind'], holdId: string): boolean => find.get(holdId, kind) !== undefined,
    /** Notes an entry of the log. */
    take: (entry: TeamEntry) => void read.run(holdIdOf(entry), entry.kind),
    marks: (holdId: string): TeamMark[] => marks.all(holdId),
    /** Own entries that the log doesn't have yet. */
    waiting: (limit: number) => waiting.all(limit),
    countWaiting: () => countWaiting.get()!,
    countUnverified: () => countUnverified.get()!,
    /** Forgets whom an entry is about. Returns whether the team has it. */
    blank(holdId: string): boolean {
      db.prepare("UPDATE team_entries SET text = '' WHERE hold_id = ? AND kind = 'hold'").run(holdId)
      return find.get(holdId, 'hold') === 1
    },
  }
}
