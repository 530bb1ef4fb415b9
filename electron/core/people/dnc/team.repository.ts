import type { Database } from '../../../database/open.ts'
import type { TeamMark } from './held-in.ts'
import {
  isUnverifiedId,
  type KnownEntry,
  type StoredEntry,
  teamKinds,
  textOf,
  unverifiedId,
} from './team-entries.ts'

interface Team {
  author: string
  relayId: string | null
  seq: number
  /** Digest of the entry at `seq`. */
  last: string | null
  readMs: number | null
  /** Entries that could not be taken. */
  skipped: number
}

/** A position in the log, with the digest of its entry, and how many entries before it could not be taken. */
export interface LogPosition {
  seq: number
  last: string
  skipped: number
}

export type TeamRepository = ReturnType<typeof createTeamRepository>

const idOf = (entry: KnownEntry) => (entry.kind === 'release' ? entry.hold : entry.id)

/** The team of a connection and what is known of its log, in `state.db`. */
export function createTeamRepository(db: Database) {
  const get = db.prepare<[], Team>(
    'SELECT author, relay_id AS relayId, seq, last, read_ms AS readMs, skipped FROM team',
  )
  const add = db.prepare<[string, string, string]>(
    `INSERT INTO team_entries (id, kind, text, on_relay) VALUES (?, ?, ?, 0)
     ON CONFLICT (id, kind) DO UPDATE SET text = excluded.text, on_relay = 0 WHERE text = '' AND kind = 'value'`,
  )
  const onRelay = db
    .prepare<[string], number>("SELECT on_relay FROM team_entries WHERE id = ? AND kind = 'hold'")
    .pluck()
  const read = db.prepare<[string, string, string]>(
    `INSERT INTO team_entries (id, kind, text, on_relay) VALUES (?, ?, ?, 1)
     ON CONFLICT (id, kind) DO UPDATE SET on_relay = 1, text = iif(kind = 'hold' AND excluded.text <> '', excluded.text, text) WHERE on_relay = 0`,
  )
  const known = db
    .prepare<[string, string], 1>('SELECT 1 FROM team_entries WHERE id = ? AND kind = ?')
    .pluck()
  const any = db.prepare<[], 1>('SELECT 1 FROM team_entries LIMIT 1').pluck()
  const textOfHold = db
    .prepare<[string], string>("SELECT text FROM team_entries WHERE id = ? AND kind = 'hold'")
    .pluck()
  const marks = db.prepare<[string], TeamMark>(
    "SELECT id AS holdId, kind FROM team_entries WHERE id = ? AND kind IN ('hold', 'release')",
  )
  const toPost = "on_relay = 0 AND text <> ''"
  const waiting = db.prepare<[number], { id: string; kind: KnownEntry['kind']; text: string }>(
    `SELECT id, kind, text FROM team_entries WHERE ${toPost} LIMIT ?`,
  )
  const countWaiting = db.prepare<[], number>(`SELECT count(*) FROM team_entries WHERE ${toPost}`).pluck()
  const countUnverified = db
    .prepare<[], number>(
      'SELECT count(*) FROM holds INDEXED BY holds_unverified WHERE verified = 0 AND ended_ms IS NULL',
    )
    .pluck()

  const blank = db.prepare<[string]>("UPDATE team_entries SET text = '' WHERE id = ? AND kind = 'hold'")
  /** Except own holds, own sends, and removals to post. */
  const forgetTexts = db.prepare(
    `UPDATE team_entries SET text = '' WHERE CASE
       WHEN kind = 'sent' THEN id NOT IN (SELECT entry_id FROM team_sent WHERE author IS NULL)
       WHEN kind IN ('value', 'erase', 'erased') THEN 1
       ELSE (on_relay = 1 OR kind = 'hold')
         AND NOT EXISTS (SELECT 1 FROM holds WHERE team_id = team_entries.id AND author IS NULL) END`,
  )
  const setAuthor = db.prepare<[string]>(
    `UPDATE team_entries SET text = json_set(text, '$.author', ?) WHERE ${toPost} AND kind IN ('hold', 'sent')`,
  )
  /** The log may lack what is known here. */
  const postAgain = () =>
    db
      .prepare(
        `UPDATE team_entries AS known SET on_relay = 0 WHERE text <> '' AND (kind = 'release' OR NOT EXISTS (
           SELECT 1 FROM team_entries WHERE id = known.id AND kind = 'release'))`,
      )
      .run()

  const learned = db.prepare<[string]>(
    `DELETE FROM team_entries WHERE kind = 'later' AND text <> ''
       AND text ->> 'kind' IN (SELECT value FROM json_each(?))`,
  )
  /** Reads the log again. Until then its holds are outdated. */
  const readAgain = () =>
    void db.prepare('UPDATE team SET seq = 0, last = NULL, read_ms = NULL, skipped = 0').run()

  return {
    /** Null while this computer is in no team. */
    team: (): Team | null => get.get() ?? null,
    /** Own holds and sends from an earlier team are shared under the new name. */
    join: db.transaction((author: string) => {
      db.prepare('INSERT INTO team (id, author) VALUES (1, ?)').run(author)
      db.prepare('INSERT OR IGNORE INTO team_names (name) VALUES (?)').run(author)
      setAuthor.run(author)
    }),
    /**
     * What was shared stays known here: on the way back only news counts. Another team gets own holds and sends. Own
     * values are queued again, with the same ids.
     */
    leave: db.transaction(() => {
      db.prepare('DELETE FROM team').run()
      // Asked again on the way back, unless it was answered.
      db.prepare(
        "DELETE FROM team_entries WHERE kind = 'erase' AND id IN (SELECT id FROM team_erasures WHERE number <> '')",
      ).run()
      db.prepare('DELETE FROM team_erasures').run()
      db.prepare("DELETE FROM team_entries WHERE kind = 'later'").run()
      forgetTexts.run()
      postAgain()
    }),
    /** Another log, or an older one: it is read again, and gets what it lacks. */
    startOver: db.transaction((relayId: string) => {
      db.prepare('UPDATE team SET relay_id = ?, seq = 0, last = NULL, skipped = 0').run(relayId)
      db.prepare('UPDATE team_erasures SET in_log = -1 WHERE in_log >= 0').run()
      postAgain()
    }),
    readAgain,
    /** Reads the log again if it has entries that an earlier version didn't know. */
    learn: db.transaction((): void => {
      const known = JSON.stringify([...teamKinds])
      if (learned.run(known).changes > 0) readAgain()
    }),
    /** `skipped`: how many more entries could not be taken. */
    setPosition: ({ seq, last, skipped }: LogPosition) =>
      void db.prepare('UPDATE team SET seq = ?, last = ?, skipped = skipped + ?').run(seq, last, skipped),
    setRead: (nowMs: number) => void db.prepare('UPDATE team SET read_ms = ?').run(nowMs),
    /** Queues an own entry. */
    share: (entry: StoredEntry) => void add.run(idOf(entry), entry.kind, textOf(entry)),
    /**
     * Notes an entry of the log. `text` is posted to another log that lacks it; of holds by several for one message, the first one's.
     */
    take: (entry: KnownEntry, text: string) => void read.run(idOf(entry), entry.kind, text),
    hasEntries: (): boolean => any.get() !== undefined,
    isKnown: (entry: KnownEntry): boolean => known.get(idOf(entry), entry.kind) !== undefined,
    marks: (holdId: string): TeamMark[] => marks.all(holdId),
    /** Entries that the log doesn't have yet. */
    waiting: (limit: number) =>
      waiting.all(limit).map(({ id, kind, text }) => ({
        key: kind + id,
        text,
        isProven: kind !== 'hold' || !isUnverifiedId(id),
      })),
    countWaiting: () => countWaiting.get()!,
    countUnverified: () => countUnverified.get()!,
    /** Forgets whom an entry is about; a copy of it without proof isn't taken either. Returns whether the team has it. */
    blank(holdId: string): boolean {
      const text = textOfHold.get(holdId)
      if (text) read.run(unverifiedId(text), 'hold', '')
      blank.run(holdId)
      return onRelay.get(holdId) === 1
    },
  }
}
