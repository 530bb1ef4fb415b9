import type { Database } from '../../database/open.ts'
import { foldVersion } from '../../lib/fold.ts'
import type { StoreRow } from './store-types.ts'
import { searchTextOf } from './contact-text.ts'
import { type PackedRows, unpackTexts } from './packed-rows.ts'
import { createPostingsBuilder } from './postings.ts'
import { createSegments, segmentMax } from './segments.ts'

/** Changes indexed at once: some tens of milliseconds. */
const changesAtOnce = 5_000
/** Other contacts read at once during an import: about 100 ms. */
const othersAtOnce = 10_000
/** The index is rebuilt when this many contacts in it changed or were deleted, and this share of it. */
const outdatedMin = 2_000
const outdatedShare = 0.25

type Indexed = Pick<StoreRow, 'id' | 'digits' | 'name' | 'email' | 'tagsJson'>
type Changed = { [Key in keyof Indexed]: Indexed[Key] | null } & { touched: number; contactId: number }

interface Progress {
  generation: string
  touched: number
  lastId: number
  outdated: number
  againId: number
  againUntil: number
  againSegment: number | null
}

/** SQL of the store's id, with the version of folded texts, and progress. In a recovered store, `changes` is more reliable. */
const storeNow = `
  SELECT generation || '/${foldVersion}' AS generation, max(touched, (SELECT coalesce(max(touched), 0) FROM changes)) AS touched,
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'contacts'), 0) AS lastId
  FROM store`

export type SearchIndex = ReturnType<typeof createSearchIndex>

/**
 * Keeps `search.db` in step with `contacts.db`. Restarts the index when it belongs to another store: in one commit, or at the next start.
 */
export function createSearchIndex(contactsDb: Database, search: Database) {
  const readProgress = search.prepare<[], Progress>(`
    SELECT generation, touched, last_id AS lastId, outdated, again_id AS againId, again_until AS againUntil,
      again_segment AS againSegment
    FROM progress`)
  const writeProgress = search.prepare<Progress>(`
    UPDATE progress
    SET (generation, touched, last_id, outdated, again_id, again_until, again_segment) =
      (@generation, @touched, @lastId, @outdated, @againId, @againUntil, @againSegment)`)
  const columns = 'c.id, c.digits, c.name, c.email, t.json AS tagsJson'
  const changed = contactsDb.prepare<[number, number], Changed>(`
    SELECT g.touched, g.contact_id AS contactId, ${columns}
    FROM changes g LEFT JOIN contacts c ON c.id = g.contact_id LEFT JOIN tag_sets t ON t.id = c.tag_set
    WHERE g.touched > ? ORDER BY g.touched LIMIT ?`)
  const between = contactsDb.prepare<[number, number, number], Indexed>(`
    SELECT ${columns} FROM contacts c JOIN tag_sets t ON t.id = c.tag_set
    WHERE c.id > ? AND c.id < ? ORDER BY c.id LIMIT ?`)
  const segments = createSegments(search)
  const builder = createPostingsBuilder()
  let progress = readProgress.get()!
  /** During an import: the last id collected, and how many are written (as outdated until the end). */
  let importing: { upTo: number; written: number } | null = null

  /** One commit: the collected contacts as a segment, with the progress. */
  function commit(next: Partial<Progress>): void {
    try {
      search
        .transaction(() => {
          segments.add(builder)
          writeProgress.run({ ...progress, ...next })
        })
        .immediate()
      progress = { ...progress, ...next }
    } finally {
      builder.clear()
    }
  }

  /** A failure leaves rows in the builder; clear it before collecting. */
  const collect = (row: Indexed) => builder.add(row.id, searchTextOf(row))

  /** Everything indexed for another store, or a later state of this one, is outdated and gets replaced. */
  function startOver(generation: string): void {
    const nothing = { touched: 0, lastId: 0, outdated: 0, againId: 0, againUntil: 0 }
    commit({ ...nothing, generation, againSegment: segments.newest() || null })
  }

  const { generation, touched, lastId } = contactsDb
    .prepare<[], Pick<Progress, 'generation' | 'touched' | 'lastId'>>(storeNow)
    .get()!
  if (progress.generation !== generation || progress.touched > touched || progress.lastId > lastId)
    startOver(generation)

  /** Starts a rebuild when too much is outdated. */
  function startRebuild(): boolean {
    const { outdated } = progress
    if (outdated < outdatedMin || outdated < outdatedShare * segments.contacts()) return false
    commit({ againSegment: segments.newest(), againId: 0, againUntil: progress.lastId, outdated: 0 })
    return true
  }

  /** Writes the next contacts to new segments; afterwards drops the old segments one by one. */
  function continueRebuild(until: number): void {
    const rows = between.all(progress.againId, progress.againUntil + 1, segmentMax)
    rows.forEach(collect)
    const last = rows.at(-1)?.id
    if (last !== undefined) commit({ againId: last })
    else if (!segments.dropOldest(until)) commit({ againSegment: null })
  }

  function beginRows() {
    if (!importing) builder.clear()
    return (importing ??= { upTo: progress.lastId, written: 0 })
  }

  /** Collects a contact beyond `progress`, and writes full segments, outdated until the end. */
  function collectImported(now: NonNullable<typeof importing>, row: Indexed): void {
    collect(row)
    now.upTo = row.id
    const { contacts } = builder
    if (contacts < segmentMax) return
    commit({ outdated: progress.outdated + contacts })
    now.written += contacts
  }

  function stepTo(firstId: number): boolean {
    const now = beginRows()
    const others = between.all(now.upTo, firstId, othersAtOnce)
    for (const row of others) collectImported(now, row)
    return others.length === othersAtOnce
  }

  return {
    /** Change up to which the index is complete. */
    touched: () => progress.touched,
    /** Indexes the next committed contacts. False when complete. */
    step(): boolean {
      if (importing) return false
      builder.clear()
      const changes = changed.all(progress.touched, changesAtOnce)
      const living = changes.filter((row): row is Changed & Indexed => row.id !== null)
      const room = segmentMax - living.length
      const fresh = between.all(progress.lastId, Number.MAX_SAFE_INTEGER, room)
      if (changes.length + fresh.length === 0) return false
      const rows = new Map([...living, ...fresh].map((row) => [row.id, row]))
      for (const row of [...rows.values()].sort((a, b) => a.id - b.id)) collect(row)
      commit({
        touched: changes.at(-1)?.touched ?? progress.touched,
        lastId: fresh.at(-1)?.id ?? progress.lastId,
        outdated: progress.outdated + changes.length,
      })
      return changes.length === changesAtOnce || fresh.length === room
    },
    /** One step of rebuilding or merging. False when nothing is left. */
    tidy(): boolean {
      if (importing) return false
      builder.clear()
      if (progress.againSegment === null) return (!segments.isMerging && startRebuild()) || segments.merge()
      continueRebuild(progress.againSegment)
      return true
    },
    /** New contacts now come through `addRows`; the store commits them later. */
    beginRows: () => void beginRows(),
    /** Indexes the next contacts that others committed before `firstId` was assigned. False when none are left. */
    stepTo,
    /** Indexes the rows whose `ids` are not 0, from `firstId`, after the rest of `stepTo`. */
    addRows(firstId: number, rows: PackedRows) {
      while (stepTo(firstId)) continue
      const now = beginRows()
      const { names, emails } = unpackTexts(rows)
      for (let at = 0; at < rows.count; at++) {
        const id = rows.ids[at]!
        // Committed before the import was announced, so already found in the store.
        if (id <= now.upTo) continue
        const tagsJson = rows.tagSets[rows.tagAt[at]!]!
        collectImported(now, { id, name: names[at]!, digits: rows.digits[at]!, email: emails[at]!, tagsJson })
      }
    },
    /**
     * Ends the import. If the store did not commit, or a call failed, the rows count as outdated until found in the
     * store.
     */
    endRows(committed: boolean) {
      if (!importing) return
      const { upTo, written } = importing
      importing = null
      if (committed)
        return commit({ lastId: Math.max(upTo, progress.lastId), outdated: progress.outdated - written })
      builder.clear()
    },
  }
}
