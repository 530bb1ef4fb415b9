import type { Hold } from '../../../contract/people/dnc.ts'
import type { Database } from '../../../database/open.ts'
import { addTextFunctions, containsFolded } from '../../../database/text-functions.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { createHashedHolds } from '../../../jobs/table/hashed-holds.ts'
import { type EntryReadings, readEntry } from '../../../lib/phone/entry-readings.ts'
import { timeId } from '../../../lib/time-id.ts'
import { createHoldRows, numbersOf } from './hold-rows.ts'
import type { OptOutSign } from './possible-opt-outs.ts'
import { messageDigest } from './team-entries.ts'
import { createTeamHolds } from './team-holds.ts'
import { createTeamRepository } from './team.repository.ts'

interface Row {
  id: number
  phone: string
  digits: number | null
  evidence: string
  source: Hold['source']
  eventSeq: number | null
  sinceMs: number
  endedMs: number | null
  endReason: Hold['endReason']
  handedOffMs: number | null
  author: string | null
  verified: 0 | 1
  exporter: string | null
  isShared?: 0 | 1
  endedBy?: string | null
  othersJson?: string
}

/** Most others of a hold. */
const othersMax = 500

/** A colleague exports own holds, and an opt-out that several consoles read if the team's log has that entry first. */
const exporter = `coalesce(author, iif(source = 'opt-out', (SELECT text ->> 'author' FROM team_entries WHERE id = holds.team_id AND kind = 'hold'
  AND text <> '' AND EXISTS (SELECT 1 FROM team) AND text ->> 'author' NOT IN (SELECT name FROM team_names)), NULL))`
const columns = `id, phone, digits, evidence, source, event_seq AS eventSeq, since_ms AS sinceMs, ended_ms AS endedMs,
  end_reason AS endReason, handed_off_ms AS handedOffMs, author, verified, ${exporter} AS exporter`

/**
 * Whether the team has a hold, who of it removed it, and the other active holds of its number, which a removal ends too: all in a team,
 * or after one, else those of possible opt-outs.
 */
const ofTeam = `team_id IS NOT NULL AND EXISTS (SELECT 1 FROM team) AS isShared,
  (SELECT text ->> 'author' FROM team_entries WHERE id = holds.team_id AND kind = 'release' AND text <> ''
     AND holds.end_reason = 'by-hand') AS endedBy,
  (SELECT json_group_array(json_object('id', id, 'evidence', evidence, 'author', author)) FROM (
    SELECT id, evidence, author FROM holds other WHERE other.digits = holds.digits AND other.ended_ms IS NULL AND other.id <> holds.id
      AND holds.ended_ms IS NULL AND (other.source = 'possible-opt-out' OR EXISTS (SELECT 1 FROM team_entries)) LIMIT ${othersMax})) AS othersJson`

const toHold = ({
  digits,
  sinceMs,
  endedMs,
  handedOffMs,
  verified,
  isShared = 0,
  endedBy = null,
  othersJson = '[]',
  ...row
}: Row): Hold => ({
  ...row,
  shared: isShared === 1,
  endedBy,
  others: JSON.parse(othersJson) as Hold['others'],
  verified: verified === 1,
  number: digits === null ? null : `+${digits}`,
  since: isoTime(sinceMs)!,
  endedAt: isoTime(endedMs),
  handedOffAt: isoTime(handedOffMs),
})

/** An inbound message or report that is or may be an opt-out. `seq`: of the delivery that says so, in the journal. */
export interface OptOut {
  sign: OptOutSign
  seq: number
  /** `seq`, or that of a later report of the message it names. */
  at: number
  /** Of the unsigned delivery that `seq` replaced; else `seq`. */
  firstSeq: number
  /** With a prefix while unsigned: an unsigned delivery may use another message's ID. */
  messageId: string | null
  /** Null if it only names a message. */
  number: string | null
  /** Numbers of the recipients of a message with its id, as they are written in several places. */
  others: readonly string[]
  content: string
  receivedMs: number
}

/** The sender of a message. */
export type Sender = Pick<OptOut, 'content' | 'receivedMs'> & { number: string }

/** A number that a file says not to contact. `isShared`: several people have it beside their own number. */
export interface ImportedHold {
  digits: number
  evidence: string
  isShared: boolean
}

export type HoldsRepository = ReturnType<typeof createHoldsRepository>

/** The sender of an opt-out while the person is unknown. */
const nobody = '?'

/** Evidence shown for a number on hold as a hash. */
const erasedEvidence = 'Erased on request, kept on hold'

/** `country`: of numbers in national form, null if unknown. */
export function createHoldsRepository(db: Database, country: () => string | null) {
  addTextFunctions(db)
  const hashed = createHashedHolds(db)
  const rows = createHoldRows(db)
  const { readings } = rows
  const team = createTeamRepository(db)
  const teamHolds = createTeamHolds(db, { rows, team, hashed, country })
  const one = (sql: string, ...params: unknown[]) => {
    const row = db.prepare(`SELECT ${columns} FROM holds WHERE ${sql}`).get(...params) as Row | undefined
    return row ? toHold(row) : null
  }
  /** Whether a sender that was read like this may have opted out. */
  const possible = db
    .prepare<{ digits: number | null; phone: string }, 1>(
      `SELECT 1 FROM holds WHERE digits IS @digits AND ended_ms IS NULL AND source = 'possible-opt-out'
         AND (digits IS NOT NULL OR phone = @phone) LIMIT 1`,
    )
    .pluck()
  const activeText = db
    .prepare<[number | null, string, number], number>(
      'SELECT id FROM holds WHERE digits IS ? AND phone = ? AND ended_ms IS NULL AND own_only <= ? LIMIT 1',
    )
    .pluck()
  const decided = "ended_ms IS NULL AND source <> 'possible-opt-out'"
  const conditions = {
    active: 'ended_ms IS NULL',
    ended: 'ended_ms IS NOT NULL',
    'not-handed-off': `${decided} AND handed_off_ms IS NULL AND author IS NULL AND ${exporter} IS NULL`,
  }
  const matches = `(${containsFolded}(evidence, ?) OR instr(phone, ?) > 0)`
  const newest = db.prepare<[], number | null>('SELECT max(id) FROM holds').pluck()
  const active = db.prepare<[number, number], Row>(
    `SELECT ${columns} FROM holds WHERE ended_ms IS NULL AND id > ? ORDER BY id LIMIT ?`,
  )
  const otherNumbers = db
    .prepare<[number], number>("SELECT low FROM hold_readings WHERE entry_id = ? AND kind = 'number'")
    .pluck()
  const countUnreadable = db.prepare<[], { all: number; national: number }>(
    `SELECT count(*) AS "all", coalesce(sum(EXISTS (
         SELECT 1 FROM hold_readings WHERE entry_id = holds.id AND kind = 'ending')), 0) AS national
       FROM holds WHERE digits IS NULL AND ended_ms IS NULL`,
  )
  /** Also ended ones. */
  const ofNumber = db
    .prepare<{ digits: number }, number>(
      `SELECT id FROM holds WHERE digits = @digits
       UNION SELECT entry_id FROM hold_readings WHERE kind = 'number' AND low = @digits`,
    )
    .pluck()
  const remove = db.prepare<[number]>('DELETE FROM holds WHERE id = ?')
  const setDigits = db.prepare<[number | null, number]>('UPDATE holds SET digits = ? WHERE id = ?')

  const sameImport = db.prepare<[number, string, number]>(
    "SELECT 1 FROM holds WHERE digits = ? AND source = 'import' AND author IS NULL AND evidence = ? AND ended_ms IS NULL AND own_only <= ?",
  )
  const setEvent = db.prepare<[number, string]>(
    'UPDATE OR IGNORE holds SET event_seq = ? WHERE team_id = ? AND event_seq IS NULL',
  )
  /** Whether active holds block all that a text may mean. */
  function isHeld(phone: string, { digits, readings: others }: EntryReadings, isShared: boolean): boolean {
    if (activeText.get(digits, phone, isShared ? 1 : 0) !== undefined) return true
    const isBlocked = (number: number) => readings.blocking(number, isShared) !== undefined
    return (
      digits !== null &&
      isBlocked(digits) &&
      others.every(({ kind, low }) => kind === 'number' && isBlocked(low))
    )
  }

  /**
   * Starts a hold; null if active ones block all that the text may mean. In a team, and after one, each counts, for a colleague may remove
   * another one without having seen it; then null if this one is known. `isShared`: it doesn't block those who have the number beside
   * their own.
   */
  function hold(
    phone: string,
    evidence: string,
    source: Hold['source'],
    seq: number | null,
    sinceMs: number,
    { isShared = false, messageId = null as string | null } = {},
  ) {
    const author = team.team()?.author ?? null
    let teamId = messageId === null ? null : messageDigest(messageId, phone, evidence)
    const known = teamId === null ? undefined : rows.byTeamId(teamId)
    // The message came again after its hold was removed.
    if (known && known.endReason !== null && known.eventSeq !== null) teamId = null
    if (author !== null) teamId ??= timeId(sinceMs)
    if (teamId !== null && team.marks(teamId).length > 0) {
      if (seq !== null) setEvent.run(seq, teamId)
      return null
    }
    const read = readEntry(phone, country())
    // A possible opt-out counts on its own: what holds the sender now may be removed before someone decides.
    const isUndecided = source === 'possible-opt-out' || possible.get({ digits: read.digits, phone }) === 1
    // One hold of a number is enough, but each opt-out of an unknown person waits for its own.
    const isEnough = phone !== nobody && author === null && !team.hasEntries()
    if (!isUndecided && isEnough && isHeld(phone, read, isShared)) return null
    const ownOnly = isShared ? 1 : 0
    const row = { phone, evidence, source, seq, sinceMs, ownOnly, teamId, author: null, verified: 1 } as const
    const started = rows.store(row, read)
    if (started && author !== null) teamHolds.share(teamId!, row, author)
    return started
  }

  /** The people that an opt-out may be of, each once: as the sender is written, then the others. */
  function peopleOf({ number, others }: OptOut): string[] {
    const known = new Set(number === null ? [] : numbersOf(readEntry(number, country())))
    const people = new Set(number === null ? [] : [number])
    for (const other of others) {
      const numbers = numbersOf(readEntry(other, country()))
      const [only] = numbers
      if (only !== undefined && numbers.every((one) => known.has(one))) continue
      for (const one of numbers) known.add(one)
      // The same at each console of a team.
      people.add(numbers.length === 1 ? `+${only}` : other)
    }
    return people.size === 0 ? [nobody] : [...people]
  }

  const unknownOf = db
    .prepare<[number, string], number>(
      'SELECT id FROM holds WHERE event_seq = ? AND phone = ? AND ended_ms IS NULL',
    )
    .pluck()
  /** The signed delivery counts instead of the unsigned one that it replaced. */
  function endReplaced({ firstSeq, seq }: OptOut, nowMs: number): void {
    const id = firstSeq === seq ? undefined : unknownOf.get(firstSeq, nobody)
    if (id !== undefined) teamHolds.endByHand(id, nowMs)
  }
  /** The person is known now: the hold that waited for them ends, also at a colleague who doesn't know them. */
  function endUnknown({ seq, messageId, content }: OptOut, nowMs: number): void {
    const id = unknownOf.get(seq, nobody)
    if (id !== undefined) return teamHolds.endByHand(id, nowMs)
    const author = team.team()?.author
    if (author === undefined || messageId === null) return
    team.share({ kind: 'release', hold: messageDigest(messageId, nobody, content), author, atMs: nowMs })
  }

  const ofImport = db.prepare<[number, number], { id: number }>(
    "SELECT id FROM holds WHERE digits = ? AND since_ms = ? AND source = 'import' AND author IS NULL",
  )
  const processedSeq = db.prepare<[], number>('SELECT seq FROM holds_progress').pluck()

  return {
    newestId: () => newest.get() ?? 0,
    /** The `seq` of the last opt-out taken; 0 before the first. */
    optOutsTakenTo: () => processedSeq.get() ?? 0,
    /**
     * Puts the senders on hold and saves the last `at`, in one transaction. Returns how many new ones of keywords can and can't be
     * applied, and every number that all block.
     */
    takeOptOuts: db.transaction((optOuts: readonly OptOut[], nowMs: number) => {
      const held: number[] = []
      let count = 0
      let notApplied = 0
      for (const optOut of optOuts) {
        const { sign, seq, messageId, content, receivedMs } = optOut
        const source = sign === 'keyword' ? 'opt-out' : 'possible-opt-out'
        const people = peopleOf(optOut)
        endReplaced(optOut, nowMs)
        // A number on hold keeps its first hold, but each possible opt-out has its own.
        const started = people.flatMap(
          (phone) => hold(phone, content, source, seq, receivedMs, { messageId }) ?? [],
        )
        if (optOut.number === null && people[0] !== nobody) endUnknown(optOut, nowMs)
        held.push(...started.flatMap(({ numbers }) => numbers))
        if (sign === 'possible' || started.length === 0) continue
        if (started.some(({ isApplied }) => isApplied)) count++
        else notApplied++
      }
      const last = optOuts.at(-1)
      if (last) db.prepare('UPDATE holds_progress SET seq = ?').run(last.at)
      return { count, notApplied, numbers: held }
    }),
    /** Keeps the sender of a possible opt-out on hold. Returns the numbers newly blocked. */
    holdSender: db.transaction(
      ({ number, content, receivedMs }: Sender): number[] =>
        hold(number, content, 'by-hand', null, receivedMs)?.numbers ?? [],
    ),
    /** Ends holds of possible opt-outs that are none. The hash of an erased number stays on hold. */
    endPossible: db.transaction((ids: readonly number[], nowMs: number): void => {
      for (const id of ids) teamHolds.endByHand(id, nowMs)
    }),
    /**
     * Holds numbers by what an imported file says. Returns the numbers newly blocked for each; null if something else holds it. What this
     * import held before it was interrupted stays as it is.
     */
    addImported: db.transaction((entries: readonly ImportedHold[], startMs: number) =>
      entries.map(({ digits, evidence, isShared }): number[] | null =>
        ofImport.get(digits, startMs)
          ? []
          : sameImport.get(digits, evidence, isShared ? 1 : 0)
            ? null
            : (hold(`+${digits}`, evidence, 'import', null, startMs, { isShared })?.numbers ?? null),
      ),
    ),
    add: db.transaction((digits: number, evidence: string, nowMs: number): Hold => {
      const started = hold(`+${digits}`, evidence, 'by-hand', null, nowMs)
      return one('id = ?', started?.id ?? readings.blocking(digits, false))!
    }),
    /**
     * Ends a hold and the others shown with it, and removes the hash of its number. Colleagues end exactly these. Returns null if no hold with
     * this id is active.
     */
    release: db.transaction((id: number, nowMs: number, others: readonly number[] = []): Hold | null => {
      const hold = one('id = ? AND ended_ms IS NULL', id)
      if (!hold) return null
      const isOfNumber = (other: number) =>
        hold.number !== null && one('id = ?', other)?.number === hold.number
      const ids = [id, ...others.filter(isOfNumber)]
      for (const each of ids) teamHolds.endByHand(each, nowMs)
      // A colleague's hold that gave way to the hash counts again.
      if (hold.number !== null && hashed.remove(Number(hold.number.slice(1)))) team.readAgain()
      return { ...hold, endedAt: isoTime(nowMs), endReason: 'by-hand' }
    }),
    takeTeam: teamHolds.takeTeam,
    shareEarlier: teamHolds.shareEarlier,
    /** Why a number is on hold, including an erased number kept only as a hash. `isOwn`: it isn't only beside a person's own number. */
    active(digits: number, isOwn: boolean): Pick<Hold, 'evidence' | 'since' | 'author'> | null {
      const id = readings.blocking(digits, isOwn)
      if (id !== undefined) return one('id = ?', id)
      const sinceMs = hashed.sinceMs(digits)
      return sinceMs === null ? null : { evidence: erasedEvidence, since: isoTime(sinceMs), author: null }
    },
    /** A hold whose sender can't be read but may be a number. */
    suspect(digits: number): Hold | null {
      const id = readings.suspecting(digits)
      return id === undefined ? null : one('id = ?', id)
    },
    /** Reads the senders of the next active holds again, because the country changed. Returns the last one's id; null at the end. */
    readAgain: db.transaction((afterId: number, limit: number): number | null => {
      const some = active.all(afterId, limit)
      for (const { id, phone, digits, author } of some) {
        // A colleague's is read with the country of that computer.
        if (author !== null) continue
        const read = readEntry(phone, country())
        readings.put(id, read.readings)
        if (read.digits !== digits) setDigits.run(read.digits, id)
      }
      return some.at(-1)?.id ?? null
    }),
    /** Active holds that can't be applied, and those of them that may be numbers in national form. */
    countUnreadable: () => countUnreadable.get()!,
    /**
     * Removes all holds of a number, and these others; with `keepHash`, a keyed hash stays on hold. Returns how many were removed, and how
     * many of them the team has. Their entries aren't posted or taken again.
     */
    erase: db.transaction(
      (digits: number, keepHash: boolean, nowMs: number, others: readonly number[] = []) => {
        if (keepHash) hashed.add(digits, nowMs)
        const ids = [...ofNumber.all({ digits }), ...others]
        let shared = 0
        for (const id of ids) {
          const teamId = rows.teamIdOf(id)
          if (teamId && team.blank(teamId)) shared++
          readings.put(id, [])
          remove.run(id)
        }
        return { removed: ids.length, shared }
      },
    ),
    /** Keeps a number that a colleague erased on hold, as a hash. */
    addHash: (digits: number, nowMs: number): void => hashed.add(digits, nowMs),
    /** Ends those of the next active holds whose numbers are all on the list now. Returns the last one's id; null at the end. */
    endListed: db.transaction(
      (
        afterId: number,
        limit: number,
        isOnList: (digits: number) => boolean,
        nowMs: number,
      ): number | null => {
        const some = active.all(afterId, limit)
        for (const { id, digits } of some)
          if (digits !== null && isOnList(digits) && otherNumbers.all(id).every(isOnList))
            rows.end(id, nowMs, 'on-dnc')
        return some.at(-1)?.id ?? null
      },
    ),
    /** Newest first, after the hold `before`, with `text` in the sender or the reason. */
    list(
      which: keyof typeof conditions,
      limit: number,
      before = { sinceMs: Number.MAX_SAFE_INTEGER, id: 0 },
      text = '',
    ) {
      const about = text.trim().toLowerCase()
      const number = text.replace(/[\s().-]/g, '')
      const found = db
        .prepare<[string, string, number, number, number], Row>(
          `SELECT ${columns}, ${ofTeam} FROM holds WHERE ${conditions[which]} AND ${matches} AND (since_ms, id) < (?, ?)
           ORDER BY since_ms DESC, id DESC LIMIT ?`,
        )
        .all(about, number, before.sinceMs, before.id, limit)
      const total = db
        .prepare<[string, string], number>(
          `SELECT count(*) FROM holds WHERE ${conditions[which]} AND ${matches}`,
        )
        .pluck()
        .get(about, number)!
      return { items: found.map(toHold), total }
    },
    /** The next holds to hand off, oldest first. */
    toHandOff: (all: boolean, afterId: number, limit: number): Hold[] =>
      db
        .prepare<[number, number], Row>(
          `SELECT ${columns} FROM holds WHERE ${all ? decided : conditions['not-handed-off']} AND id > ? ORDER BY id LIMIT ?`,
        )
        .all(afterId, limit)
        .map(toHold),
    handedOff: db.transaction((ids: readonly number[], nowMs: number) => {
      const mark = db.prepare<[number, number]>('UPDATE holds SET handed_off_ms = ? WHERE id = ?')
      for (const id of ids) mark.run(nowMs, id)
    }),
  }
}
