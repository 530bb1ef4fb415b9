import type { Database } from '../../../database/open.ts'
import type { createHashedHolds } from '../../../jobs/table/hashed-holds.ts'
import { endingModulus, type EntryReadings, readEntry } from '../../../lib/phone/entry-readings.ts'
import { timeId } from '../../../lib/time-id.ts'
import { heldIn } from './held-in.ts'
import { type HoldRows, type NewHold, numbersOf } from './hold-rows.ts'
import type { FoundEntry, TeamHold } from './team-entries.ts'
import type { LogPosition, TeamRepository } from './team.repository.ts'

/** Most active holds without proof: anyone with a token may post any number of them. */
export const unverifiedMax = 10_000

/** What a console posts of a hold. */
type SharedHold = Pick<NewHold, 'phone' | 'evidence' | 'source' | 'ownOnly' | 'sinceMs'>

/** Holds that the consoles of a team share. `country`: of numbers in national form, null if unknown. */
export function createTeamHolds(
  db: Database,
  parts: {
    rows: HoldRows
    team: TeamRepository
    hashed: ReturnType<typeof createHashedHolds>
    country: () => string | null
  },
) {
  const { rows, team, hashed, country } = parts
  const setNumber = db.prepare<[string, number | null, number]>(
    'UPDATE holds SET phone = ?, digits = ? WHERE id = ?',
  )
  const resume = db.prepare<[number]>('UPDATE holds SET ended_ms = NULL, end_reason = NULL WHERE id = ?')
  const notShared = db.prepare<
    [number, number],
    SharedHold & { id: number; teamId: string | null; isShared: 0 | 1 }
  >(
    `SELECT id, phone, evidence, source, since_ms AS sinceMs, own_only AS ownOnly, team_id AS teamId,
       EXISTS (SELECT 1 FROM team_entries WHERE id = team_id AND kind = 'hold') AS isShared
     FROM holds WHERE ended_ms IS NULL AND author IS NULL AND id > ? ORDER BY id LIMIT ?`,
  )
  const setTeamId = db.prepare<[string, number]>('UPDATE holds SET team_id = ? WHERE id = ?')

  const share = (id: string, { phone, evidence, source, ownOnly, sinceMs }: SharedHold, author: string) =>
    team.share({
      kind: 'hold',
      id,
      number: phone,
      country: country(),
      evidence,
      source,
      ownOnly: ownOnly === 1,
      author,
      atMs: sinceMs,
    })

  /** Ends a hold here and at colleagues. */
  function endByHand(id: number, nowMs: number): void {
    const author = team.team()?.author
    const teamId = rows.teamIdOf(id)
    if (rows.end(id, nowMs, 'by-hand') && author !== undefined && teamId !== null)
      team.share({ kind: 'release', hold: teamId, author, atMs: nowMs })
  }

  /** A text without the numbers that are on hold as a hash, and other readings of these; null when it has no others. */
  function withoutErased(phone: string, read: EntryReadings): string | null {
    const numbers = numbersOf(read)
    const erased = numbers.filter((number) => hashed.sinceMs(number) !== null)
    if (erased.length === 0) return phone
    const endings = new Set(erased.map((number) => number % endingModulus))
    const others = numbers.filter((number) => !endings.has(number % endingModulus))
    return others.length === 0 ? null : others.map((number) => `+${number}`).join(' / ')
  }

  /**
   * Holds a number for a colleague. Returns the numbers newly blocked, and the text to post to another log, empty for none; null while a
   * hash holds the number instead.
   */
  function takeHold({ entry, isProven, text, read }: FoundEntry & { entry: TeamHold }, isNew: boolean) {
    const { id: teamId, number: phone, evidence, source, author, atMs: sinceMs } = entry
    const row = rows.byTeamId(teamId)
    // Its person was erased.
    if (!row && !isNew) return { numbers: [], text: '' }
    const kept = withoutErased(phone, read)
    if (kept === null) return null
    const keptText = kept === phone ? text : ''
    const keptRead = kept === phone ? read : readEntry(kept, null)
    if (row) {
      // A hash that stood for one of its numbers is gone.
      const isOther = row.author !== null && row.phone !== kept
      if (isOther) {
        setNumber.run(kept, keptRead.digits, row.id)
        rows.readings.put(row.id, keptRead.readings)
      }
      // Ended here while this computer wasn't in the team.
      const isEnded = row.endReason === 'by-hand'
      if (isEnded) resume.run(row.id)
      return { numbers: isOther || isEnded ? numbersOf(keptRead) : [], text: keptText }
    }
    const ownOnly = entry.ownOnly ? 1 : 0
    const verified = isProven ? 1 : 0
    const held = {
      phone: kept,
      evidence,
      source,
      seq: null,
      sinceMs,
      ownOnly,
      author,
      teamId,
      verified,
    } as const
    return { numbers: rows.store(held, keptRead)!.numbers, text: keptText }
  }

  return {
    share,
    endByHand,
    /**
     * Takes entries of the team's log, and the position after them. Returns the numbers newly blocked, and whether holds ended. Holds are
     * skipped when too many lack proof.
     */
    takeTeam: db.transaction((found: readonly FoundEntry[], position: LogPosition, nowMs: number) => {
      const numbers: number[] = []
      let hasEnded = false
      let { skipped } = position
      let room = unverifiedMax - team.countUnverified()
      // First: holds that end at once aren't stored.
      for (const { entry, text } of found) {
        if (entry.kind !== 'release') continue
        team.take(entry, text)
        const row = rows.byTeamId(entry.hold)
        if (row && rows.end(row.id, nowMs, 'by-hand')) hasEnded = true
      }
      for (const one of found) {
        const { entry } = one
        if (entry.kind !== 'hold') continue
        const marks = team.marks(entry.id)
        const isNew = marks.every(({ kind }) => kind !== 'hold')
        const isHeld = heldIn([...marks, { kind: 'hold', holdId: entry.id }]).has(entry.id)
        if (!one.isProven && isNew && room-- <= 0) {
          skipped++
          continue
        }
        const taken = isHeld ? takeHold({ ...one, entry }, isNew) : { numbers: [], text: '' }
        // It is new again once the hash is removed.
        if (taken === null) continue
        team.take(entry, taken.text)
        numbers.push(...taken.numbers)
      }
      team.setPosition({ ...position, skipped })
      return { numbers, hasEnded }
    }),
    /** Queues those of the next own holds that the team doesn't know. Returns the last one's id; null at the end. */
    shareEarlier: db.transaction((afterId: number, limit: number, nowMs: number): number | null => {
      const author = team.team()?.author
      const own = author === undefined ? [] : notShared.all(afterId, limit)
      for (const row of own) {
        if (row.isShared === 1) continue
        const id = row.teamId ?? timeId(nowMs)
        setTeamId.run(id, row.id)
        share(id, row, author!)
      }
      return own.at(-1)?.id ?? null
    }),
  }
}
