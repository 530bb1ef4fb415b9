import type { InputOf, OutputOf } from '../../../contract/define.ts'
import type { TeamChange, teamContract } from '../../../contract/live/team.ts'
import type { Database } from '../../../database/open.ts'
import { personKinds } from '../../people/team/shared-values.ts'
import { isoTime } from '../../../lib/iso-time.ts'

const kinds = {
  all: ['hold', 'release', 'sent', 'conversation', 'value', 'erase', 'erased'],
  holds: ['hold', 'release', 'erase', 'erased'],
  sends: ['sent'],
  conversations: ['conversation'],
  values: ['value'],
} as const

const hourMs = 3_600_000

/**
 * What the team shared last, as far as this computer knows it, in `state.db`. A removal shows the hold that it ends. What someone sent
 * within an hour is one change.
 */
export function createTeamChanges(db: Database) {
  const find = db.prepare<
    [string, string, number, number],
    Omit<TeamChange, 'id' | 'at' | 'isRemoved'> & { rowId: number; atMs: number; isRemoved: 0 | 1 }
  >(
    `SELECT e.rowid AS rowId, e.text ->> 'atMs' AS atMs,
       iif(e.id NOT LIKE 'unverified-%' AND e.text ->> 'author' IN (SELECT name FROM team_names), NULL, e.text ->> 'author') AS by,
       CASE e.kind WHEN 'hold' THEN iif(e.text ->> 'source' LIKE '%opt-out', e.text ->> 'source', 'hold') WHEN 'release' THEN 'hold' WHEN 'value' THEN CASE e.text ->> 'of'
           WHEN 'conversation' THEN e.text ->> '$.value.state' WHEN 'conversation-note' THEN 'note' ELSE e.text ->> 'of' END
         WHEN 'erased' THEN iif(e.text ->> 'isErased', 'erased', 'kept') ELSE e.kind END AS what,
       CASE e.kind WHEN 'hold' THEN e.text ->> 'number' WHEN 'release' THEN coalesce(h.text ->> 'number', '')
         WHEN 'value' THEN CASE WHEN e.text ->> 'of' NOT IN (SELECT value FROM json_each(?)) THEN e.text ->> 'key'
           WHEN e.text ->> 'key' LIKE '=%' THEN substr(e.text ->> 'key', 2) ELSE '+' || (e.text ->> 'key') END
         ELSE '' END AS about,
       substr(coalesce(h.text ->> 'evidence', e.text ->> 'evidence',
         iif(json_type(e.text, '$.value') = 'text', e.text ->> 'value', '')), 1, 500) AS text,
       coalesce(json_array_length(e.text, '$.to'), 0) AS count,
       e.kind = 'release' OR (e.kind = 'value' AND e.text ->> 'value' IS NULL) AS isRemoved
     FROM team_entries e LEFT JOIN team_entries h ON e.kind = 'release' AND h.id = e.id AND h.kind = 'hold' AND h.text <> ''
     WHERE CASE WHEN e.kind <> 'value' OR e.text = '' THEN e.kind WHEN e.text ->> 'of' LIKE 'conversation%' THEN 'conversation'
         ELSE 'value' END IN (SELECT value FROM json_each(?)) AND e.text <> '' AND e.rowid < ? ORDER BY e.rowid DESC LIMIT ?`,
  )
  return ({
    show,
    limit,
    cursor = Number.MAX_SAFE_INTEGER,
  }: InputOf<typeof teamContract, 'changes'>): OutputOf<typeof teamContract, 'changes'> => {
    const rows = find.all(JSON.stringify(personKinds), JSON.stringify(kinds[show]), cursor, limit)
    const items: TeamChange[] = []
    // The last changes, while all are sends.
    let sends: TeamChange[] = []
    for (const { rowId, atMs, isRemoved, ...row } of rows) {
      const next = { ...row, id: String(rowId), at: isoTime(atMs), isRemoved: isRemoved === 1 }
      if (row.what !== 'sent') sends = []
      const later = sends.find(({ by, at }) => by === row.by && Date.parse(at) - atMs < hourMs)
      // A bulk send is shared in pieces. It is named by its first one, which stays the same.
      if (later) Object.assign(later, { id: next.id, count: later.count + row.count })
      else {
        items.push(next)
        if (row.what === 'sent') sends = [next, ...sends]
      }
    }
    return { items, nextCursor: rows.length < limit ? null : rows.at(-1)!.rowId }
  }
}
