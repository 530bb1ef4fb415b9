import type { DncEntry } from '../../../contract/domain.ts'
import type { Database } from '../../../database/open.ts'
import { instantMs } from '../../../lib/iso-time.ts'
import { createEntryReadings } from '../../../jobs/table/entry-readings.ts'
import { readEntry } from '../../../lib/phone/entry-readings.ts'
import { createDncList } from './dnc-list.ts'

/** One read of the whole list, in one or more sweeps. Times in milliseconds since 1970. */
export interface Sync {
  id: number
  taskId: string | null
  /** Of the credentials that it began with. */
  identity: string | null
  startedMs: number
  endedMs: number | null
  /** Number of the current sweep. Rises over all syncs. */
  sweep: number
  nextPage: number
  /** The service's total on the sweep's first page. */
  firstTotal: number | null
  /** 1 when the total changed during the sweep. */
  moved: 0 | 1
  added: number
  removed: number
  /** Entries it didn't see, too many at once to be believed. They still block. */
  kept: number
}

interface KnownEntry {
  phoneNumber: string
  reason: string | null
  createdMs: number | null
  firstSeenMs: number
}

interface StoredEntry {
  id: number
  phoneNumber: string
  digits: number | null
  sweep: number
  isOn: 0 | 1
}

export type DncRepository = ReturnType<typeof createDncRepository>

/** A sync that misses more entries, and most of the list, isn't believed. */
const goneMax = 50
/** More such entries mean that the list's field names may be others. */
const blankShareMax = 0.1
/** Entries counted one by one. */
const nationalMax = 10_000
/** Uses the index on sweeps to skip entries that the last sweep saw. */
const unseen = 'gone_ms IS NULL AND seen_sync <> ? AND seen_sweep < ?'
/** Such a number is the same in every country. */
const withCode = /^\+[1-9]\d+$/

const syncColumns = `id, task_id AS taskId, identity, started_ms AS startedMs, ended_ms AS endedMs, sweep, next_page AS nextPage,
  first_total AS firstTotal, moved, added, removed, kept`

/** `country`: of numbers in national form, null if unknown. */
export function createDncRepository(db: Database, country: () => string | null) {
  const readings = createEntryReadings(db, 'dnc')
  const one = <T>(sql: string, ...params: unknown[]) => db.prepare(sql).get(...params) as T | undefined
  const insert = db.prepare(`
    INSERT INTO dnc_entries (key, phone_number, digits, reason, created_ms, first_seen_ms, added_sync, seen_sync, seen_sweep)
    VALUES (@key, @phoneNumber, @digits, @reason, @createdMs, @nowMs, @sync, @sync, @sweep)
    ON CONFLICT (key) DO UPDATE SET phone_number = excluded.phone_number, digits = excluded.digits, reason = excluded.reason,
      created_ms = excluded.created_ms, seen_sync = excluded.seen_sync, seen_sweep = excluded.seen_sweep,
      added_sync = iif(gone_ms IS NULL, added_sync, excluded.added_sync), gone_ms = NULL, gone_sync = NULL`)
  const save = db.prepare(`
    UPDATE dnc_syncs SET task_id = @taskId, ended_ms = @endedMs, sweep = @sweep, next_page = @nextPage,
      first_total = @firstTotal, moved = @moved, added = @added, removed = @removed, kept = @kept WHERE id = @id`)
  const byId = db.prepare<[number], KnownEntry>(`
    SELECT phone_number AS phoneNumber, reason, created_ms AS createdMs, first_seen_ms AS firstSeenMs
    FROM dnc_entries WHERE id = ?`)
  const entryOf = (id: number | undefined): KnownEntry | null =>
    id === undefined ? null : (byId.get(id) ?? null)
  const lastComplete = () =>
    one<Sync>(`SELECT ${syncColumns} FROM dnc_syncs WHERE ended_ms IS NOT NULL ORDER BY id DESC LIMIT 1`) ??
    null
  /** The sync that is in progress or interrupted. */
  const unfinished = () =>
    one<Sync>(`SELECT ${syncColumns} FROM dnc_syncs WHERE ended_ms IS NULL ORDER BY id DESC LIMIT 1`) ?? null

  const storedColumns =
    'id, phone_number AS phoneNumber, digits, seen_sweep AS sweep, gone_ms IS NULL AS isOn'
  const before = db.prepare<[string], StoredEntry>(`SELECT ${storedColumns} FROM dnc_entries WHERE key = ?`)
  const after = db.prepare<[number, number], StoredEntry>(
    `SELECT ${storedColumns} FROM dnc_entries WHERE id > ? ORDER BY id LIMIT ?`,
  )
  const retire = db.prepare<[string, number, number, number]>(
    'UPDATE dnc_entries SET key = ?, gone_ms = ?, gone_sync = ? WHERE id = ?',
  )
  const setDigits = db.prepare<[number | null, number]>('UPDATE dnc_entries SET digits = ? WHERE id = ?')
  const countNational = db
    .prepare<[], number>(
      `SELECT count(*) FROM (SELECT 1 FROM dnc_entries e WHERE digits IS NULL AND gone_ms IS NULL
         AND EXISTS (SELECT 1 FROM dnc_readings WHERE entry_id = e.id AND kind = 'ending') LIMIT ${nationalMax + 1})`,
    )
    .pluck()
  /** Entries in force that say nothing of any number. Email addresses are not expected to. */
  const countBlank = db
    .prepare<[number], number>(
      `SELECT count(*) FROM (SELECT 1 FROM dnc_entries e WHERE digits IS NULL AND gone_ms IS NULL AND phone_number NOT LIKE '%@%'
         AND NOT EXISTS (SELECT 1 FROM dnc_readings WHERE entry_id = e.id) LIMIT ?)`,
    )
    .pluck()
  const count = (condition: string, ...params: number[]) =>
    one<{ n: number }>(`SELECT count(*) AS n FROM dnc_entries WHERE ${condition}`, ...params)!.n
  const countUnreadable = () => count('digits IS NULL AND gone_ms IS NULL')
  /** Updated with each change: counting a long list takes too long for a page or an update. */
  let known: { entries: number; unreadable: number } | null = null
  let national: { version: number; entries: number } | null = null
  let blank: { version: number; isMany: boolean } | null = null
  /** `newcomers`: entries that the previous sweep didn't see; Infinity if unknown. */
  let seen: { sweep: number; entries: number; newcomers: number } | null = null
  let version = 0

  function counts(): { entries: number; unreadable: number } {
    if (!known) {
      const unreadable = countUnreadable()
      // Each half has its own partial index.
      known = { entries: count('digits IS NOT NULL AND gone_ms IS NULL') + unreadable, unreadable }
    }
    return { ...known }
  }

  /** Whether too many entries say nothing of any number. */
  function isUnreadable(): boolean {
    const { entries, unreadable } = counts()
    const most = Math.floor(entries * blankShareMax)
    if (unreadable <= most) return false
    if (blank?.version !== version) blank = { version, isMany: countBlank.get(most + 1)! > most }
    return blank.isMany
  }

  /** Unreadable entries that may be numbers in national form. Counting many takes too long: then all unreadable ones. */
  function nationalCount(): number {
    const { unreadable } = counts()
    if (unreadable === 0) return 0
    if (national?.version !== version) {
      const found = countNational.get()!
      national = { version, entries: found > nationalMax ? unreadable : found }
    }
    return national.entries
  }

  function seenIn(sweep: number): number {
    if (seen?.sweep !== sweep) {
      const entries = count('seen_sweep = ?', sweep)
      seen = { sweep, entries, newcomers: entries === 0 ? 0 : Infinity }
    }
    return seen.entries
  }

  function change<T>(work: () => T): T {
    version++
    try {
      return db.transaction(work)()
    } catch (error) {
      // The counts include changes that were rolled back.
      known = seen = null
      throw error
    }
  }

  /** The key of an entry, and what is stored under it. `at`: its place in the page. */
  function placeOf(sync: Sync, { id, phoneNumber }: DncEntry, at: number) {
    // Records without id and readable number may look alike, yet each counts.
    const isNumber = id === null && readEntry(phoneNumber, country()).digits !== null
    const usual = id ?? (isNumber ? `number:${phoneNumber}` : `place:${sync.nextPage}.${at}`)
    const first = before.get(usual)
    // Two numbers that share an ID in one sweep: both count.
    const isShared = id !== null && first?.sweep === sync.sweep && first.phoneNumber !== phoneNumber
    const key = isShared ? `${id} ${phoneNumber}` : usual
    return { key, was: isShared ? before.get(key) : first }
  }

  /** Keeps the counts right when an entry was stored. */
  function noteStored(sync: Sync, was: StoredEntry | undefined, digits: number | null): void {
    if (seen?.sweep === sync.sweep && was?.sweep !== sync.sweep) {
      seen.entries++
      if (was?.sweep !== sync.sweep - 1) seen.newcomers++
    }
    if (!known) return
    if (!was?.isOn) known.entries++
    known.unreadable += (digits === null ? 1 : 0) - (was?.isOn && was.digits === null ? 1 : 0)
  }

  /** Stores an entry. True if it is the same as one of this sweep and has no id, so that two people may have made it. */
  function take(sync: Sync, entry: DncEntry, nowMs: number, at: number): boolean {
    const { id, phoneNumber, reason, createdAt } = entry
    const { key, was } = placeOf(sync, entry, at)
    const read = was?.phoneNumber === phoneNumber ? null : readEntry(phoneNumber, country())
    const digits = read ? read.digits : was!.digits
    // Another number under a known ID: one entry went, another came.
    const isOther = id !== null && was?.isOn === 1 && was.sweep !== sync.sweep && was.digits !== digits
    if (isOther) retire.run(`former:${was.id}`, nowMs, sync.id, was.id)
    const { lastInsertRowid } = insert.run({
      key,
      phoneNumber,
      digits,
      reason,
      createdMs: instantMs(createdAt),
      nowMs,
      sync: sync.id,
      sweep: sync.sweep,
    })
    if (read && (was || read.readings.length > 0))
      readings.put(isOther || !was ? Number(lastInsertRowid) : was.id, read.readings)
    noteStored(sync, was, digits)
    return was?.sweep === sync.sweep && id === null
  }

  const sawAllOf = (sweep: number) => count('seen_sweep = ?', sweep) === 0
  const misses = ({ id, sweep }: Sync) => count(unseen, id, sweep)

  function endSync(sync: Sync, nowMs: number): Sync {
    const { changes: gone } = db
      .prepare(`UPDATE dnc_entries SET gone_ms = ?, gone_sync = ? WHERE ${unseen}`)
      .run(nowMs, sync.id, sync.id, sync.sweep)
    if (known) known = { entries: known.entries - gone, unreadable: countUnreadable() }
    const ended: Sync = { ...sync, endedMs: nowMs, removed: count('gone_sync = ?', sync.id) }
    save.run(ended)
    return ended
  }

  return {
    lastComplete,
    unfinished,
    begin(nowMs: number, identity: string | null = null): Sync {
      const sweep = one<{ n: number }>('SELECT coalesce(max(sweep), 0) + 1 AS n FROM dnc_syncs')!.n
      db.prepare('DELETE FROM dnc_syncs WHERE ended_ms IS NULL').run()
      const { lastInsertRowid } = db
        .prepare('INSERT INTO dnc_syncs (identity, started_ms, sweep, next_page) VALUES (?, ?, ?, 1)')
        .run(identity, nowMs, sweep)
      return one<Sync>(`SELECT ${syncColumns} FROM dnc_syncs WHERE id = ?`, lastInsertRowid)!
    },
    save: (sync: Sync) => void save.run(sync),
    /** Stores a page together with the sync's progress, in one transaction. Returns how many records without id are the same as others. */
    takePage: (sync: Sync, entries: readonly DncEntry[], nowMs: number) =>
      change(() => {
        const repeated = entries.filter((entry, at) => take(sync, entry, nowMs, at)).length
        save.run(sync)
        return repeated
      }),
    /** Stores what the service said of one number. It counts until a later sync doesn't see it. False before the first sync. */
    learn(entry: DncEntry, nowMs: number): boolean {
      const sync = unfinished() ?? lastComplete()
      // A stored entry may list further numbers.
      const isStored = entry.id !== null && before.get(entry.id)?.isOn === 1
      if (sync) change(() => take(sync, isStored ? { ...entry, id: null } : entry, nowMs, 0))
      return sync !== null
    },
    /** The end of the last sync that changed the list; null if none did. */
    changedMs: (): number | null =>
      one<{ ms: number | null }>('SELECT max(ended_ms) AS ms FROM dnc_syncs WHERE added > 0 OR removed > 0')!
        .ms,
    newestId: () => one<{ id: number | null }>('SELECT max(id) AS id FROM dnc_entries')!.id ?? 0,
    seenIn,
    /** Whether a sweep saw exactly the entries of the sweep before. */
    sawSame: (sweep: number): boolean => seen?.sweep === sweep && seen.newcomers === 0 && sawAllOf(sweep - 1),
    /** Whether the current sweep has seen each entry of this one. */
    sawAllOf,
    /** How many entries on the list it has not seen. */
    misses,
    /**
     * Ends a sync after a full sweep. Entries it did not see are marked as gone, unless that empties the list, or most of a long one, or the
     * sync before already kept some.
     */
    finish: (sync: Sync, nowMs: number) =>
      change(() => {
        const added = count('added_sync = ?', sync.id)
        const gone = misses(sync)
        const isMost = gone > goneMax && gone * 2 > counts().entries - added
        const wasKept = (lastComplete()?.kept ?? 0) > 0
        if (gone === 0 || !(isMost || wasKept || seenIn(sync.sweep) === 0))
          return endSync({ ...sync, added }, nowMs)
        const ended: Sync = { ...sync, endedMs: nowMs, added, kept: gone }
        save.run(ended)
        return ended
      }),
    /** Marks the entries as gone that the last sync kept. */
    dropKept(nowMs: number): void {
      const last = lastComplete()
      if (last && last.kept > 0) change(() => endSync({ ...last, kept: 0 }, nowMs))
    },
    /** Reads the next entries again, because the country changed. Returns the last one's id; null at the end. */
    readAgain: (afterId: number, limit: number): number | null =>
      change(() => {
        const entries = after.all(afterId, limit)
        for (const { id, phoneNumber, digits, isOn } of entries) {
          if (withCode.test(phoneNumber)) continue
          const read = readEntry(phoneNumber, country())
          readings.put(id, read.readings)
          if (read.digits === digits) continue
          setDigits.run(read.digits, id)
          if (known && isOn === 1)
            known.unreadable += (read.digits === null ? 1 : 0) - (digits === null ? 1 : 0)
        }
        return entries.at(-1)?.id ?? null
      }),
    find: (digits: number) => entryOf(readings.blocking(digits)),
    suspect: (digits: number) => entryOf(readings.suspecting(digits)),
    counts,
    isUnreadable,
    nationalCount,
    list: createDncList(db, { counts, version: () => version, country }),
  }
}
