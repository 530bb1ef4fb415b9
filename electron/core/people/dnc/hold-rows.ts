import type { Hold } from '../../../contract/people/dnc.ts'
import type { Database } from '../../../database/open.ts'
import { createEntryReadings } from '../../../jobs/table/entry-readings.ts'
import type { EntryReadings } from '../../../lib/phone/entry-readings.ts'

export interface NewHold {
  phone: string
  digits: number | null
  evidence: string
  source: Hold['source']
  seq: number | null
  sinceMs: number
  ownOnly: 0 | 1
  teamId: string | null
  author: string | null
  verified: 0 | 1
}

/** Every number that a text may mean. */
export const numbersOf = ({ digits, readings: others }: EntryReadings): number[] => [
  ...(digits === null ? [] : [digits]),
  ...others.flatMap(({ kind, low }) => (kind === 'number' ? [low] : [])),
]

/** A hold that the team knows, too. */
interface KnownHold {
  id: number
  phone: string
  author: string | null
  endReason: Hold['endReason']
  eventSeq: number | null
}

export type HoldRows = ReturnType<typeof createHoldRows>

export function createHoldRows(db: Database) {
  const readings = createEntryReadings(db, 'held')
  const insert = db.prepare<NewHold>(
    `INSERT OR IGNORE INTO holds (phone, digits, evidence, source, event_seq, since_ms, own_only, team_id, author, verified)
     VALUES (@phone, @digits, @evidence, @source, @seq, @sinceMs, @ownOnly, @teamId, @author, @verified)`,
  )
  const end = db.prepare<[number, string, number]>(
    'UPDATE holds SET ended_ms = ?, end_reason = ? WHERE id = ? AND ended_ms IS NULL',
  )
  const byTeamId = db.prepare<[string], KnownHold>(
    'SELECT id, phone, author, end_reason AS endReason, event_seq AS eventSeq FROM holds WHERE team_id = ?',
  )
  const teamIdOf = db.prepare<[number], string | null>('SELECT team_id FROM holds WHERE id = ?').pluck()

  return {
    readings,
    /** Stores a hold with all that its text may mean. Null if its delivery has started one. Returns every number that it blocks. */
    store(row: Omit<NewHold, 'digits'>, read: EntryReadings) {
      const { digits, readings: others } = read
      const { changes, lastInsertRowid } = insert.run({ ...row, digits })
      if (changes === 0) return null
      const id = Number(lastInsertRowid)
      if (others.length > 0) readings.put(id, others)
      return { id, isApplied: digits !== null, numbers: numbersOf(read) }
    },
    /** Ends a hold; false if it wasn't active. */
    end: (id: number, nowMs: number, reason: 'by-hand' | 'on-dnc'): boolean =>
      end.run(nowMs, reason, id).changes > 0,
    byTeamId: (teamId: string) => byTeamId.get(teamId),
    teamIdOf: (id: number): string | null => teamIdOf.get(id) ?? null,
  }
}
