import type { ErasedFile, ErasedPlace, KeptReason } from '../../../contract/connection/erase.ts'
import { type Said, saidOf } from '../../../contract/phrases.ts'
import type { Database } from '../../../database/open.ts'
import { type Cleaner, createCleaner, type Needle } from './needle.ts'

/** An erasure as it is stored. `needle` is null once everything is removed and searched. */
export interface Erasure {
  id: string
  ending: string
  taskId: string
  needle: Needle | null
  keepHold: boolean
  removed: Partial<Record<ErasedPlace, number>>
  kept: Partial<Record<KeptReason, number>>
  files: ErasedFile[]
  startedMs: number
  endedMs: number | null
}

interface Row {
  id: string
  ending: string
  taskId: string
  needleBase64: string | null
  keepHold: number
  removedJson: string
  keptJson: string
  filesJson: string
  startedMs: number
  endedMs: number | null
}

/** A request to the number, or a test with its values; `isOthers`: or to another one, whose text may also mean this one. */
interface FoundItem {
  id: number
  state: string
  isDeletion: 0 | 1
  isOthers: 0 | 1
}

/** Tables with only sums and ids, and tables that other steps erase row by row. */
const untouched: ReadonlySet<string> = new Set([
  'events',
  'copies',
  'messages',
  'kept_messages',
  'arrivals',
  'tallies',
  'inbox_messages',
  'inbox_senders',
  'possible_opt_outs',
  'campaign_snapshots',
  'outbox',
  'holds',
  'team_sent',
  'dnc_entries',
  'error_codes',
  'connections',
  'secret_tombstones',
  'folder_tombstones',
])
/** Rows per statement: about 10 ms. */
const rowsPerStep = 10_000

const columns = `id, ending, task_id AS taskId, needle_base64 AS needleBase64, keep_hold AS keepHold, removed_json AS removedJson,
  kept_json AS keptJson, files_json AS filesJson, started_ms AS startedMs, ended_ms AS endedMs`

const toErasure = ({ needleBase64, keepHold, removedJson, keptJson, filesJson, ...row }: Row): Erasure => ({
  ...row,
  needle:
    needleBase64 === null ? null : (JSON.parse(Buffer.from(needleBase64, 'base64').toString()) as Needle),
  keepHold: keepHold === 1,
  removed: JSON.parse(removedJson) as Erasure['removed'],
  kept: JSON.parse(keptJson) as Erasure['kept'],
  files: JSON.parse(filesJson) as Erasure['files'],
})

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Erasures in `state.db`, and what they remove there, in `cache.db` and in `console.db`. */
export function createEraseRepository(stateDb: Database, cacheDb: Database, consoleDb: Database) {
  const dbs = { state: stateDb, cache: cacheDb, console: consoleDb }
  const put = stateDb.prepare(`
    INSERT INTO erasures (id, ending, task_id, needle_base64, keep_hold, removed_json, kept_json, files_json, started_ms, ended_ms)
    VALUES (@id, @ending, @taskId, @needleBase64, @keepHold, @removedJson, @keptJson, @filesJson, @startedMs, @endedMs)
    ON CONFLICT (id) DO UPDATE SET needle_base64 = excluded.needle_base64,
      removed_json = excluded.removed_json, kept_json = excluded.kept_json, files_json = excluded.files_json, ended_ms = excluded.ended_ms`)
  const setTask = stateDb.prepare<[string, string]>('UPDATE erasures SET task_id = ? WHERE id = ?')
  const get = stateDb.prepare<[string], Row>(`SELECT ${columns} FROM erasures WHERE id = ?`)
  const newest = stateDb.prepare<[number], Row>(
    `SELECT ${columns} FROM erasures ORDER BY started_ms DESC LIMIT ?`,
  )
  const unfinished = stateDb.prepare<[], Row>(`SELECT ${columns} FROM erasures WHERE ended_ms IS NULL`)
  const nameOf = stateDb
    .prepare<{ id: string }, string>(
      'SELECT file_name FROM imports WHERE id = @id UNION ALL SELECT subject FROM ott_sends WHERE id = @id',
    )
    .pluck()
  const highestItem = stateDb.prepare<[], number | null>('SELECT max(id) FROM outbox').pluck()
  const itemsOf = stateDb.prepare<{ phone: string; digits: number; after: number; upTo: number }, FoundItem>(
    `SELECT id, state, operation = 'delete-contact' AS isDeletion, phone <> @phone AND values_of IS NOT @phone AS isOthers
     FROM outbox WHERE id > @after AND id <= @upTo AND (phone = @phone OR values_of = @phone
       OR (others_json <> '[]' AND EXISTS (SELECT 1 FROM json_each(others_json) WHERE value = @digits)))`,
  )
  // A deletion that still has to leave needs its body. The counts need to know which list the number was on.
  const blankItem = stateDb.prepare<[number]>(
    `UPDATE outbox SET name = '', phone = '', values_of = NULL, others_json = '[]', answer_json = NULL,
       problem_json = iif(problem_code = 'ON_DNC' AND json_extract(problem_json, '$.reason.key') IS NOT NULL,
         json_object('reason', json_object('key', json_extract(problem_json, '$.reason.key'))), NULL),
       body_json = iif(operation = 'delete-contact', body_json, '{}') WHERE id = ? AND phone <> ''`,
  )
  // The second condition selects the index `events_not_dlr`.
  const quarantined = stateDb
    .prepare<[], number>("SELECT source_seq FROM events WHERE kind = 'quarantined' AND kind <> 'dlr'")
    .pluck()
  const eventsOf = stateDb
    .prepare<{ seq: number }, number>(
      `SELECT seq FROM events WHERE seq = @seq
       UNION SELECT event_seq FROM copies WHERE journal_seq = @seq`,
    )
    .pluck()
  const deliveriesOf = stateDb
    .prepare<{ seq: number }, number>(
      `SELECT seq FROM events WHERE seq = @seq UNION SELECT source_seq FROM events WHERE seq = @seq
       UNION SELECT journal_seq FROM copies WHERE event_seq = @seq`,
    )
    .pluck()
  const ownNumber = stateDb
    .prepare<[string, string], 1>(
      `SELECT 1 FROM (SELECT own_number FROM events ORDER BY seq DESC LIMIT 20000) WHERE own_number IN (?, ?) LIMIT 1`,
    )
    .pluck()

  /** Ranges of rowids, so that other work gets a turn between two steps. */
  function* ranges(db: Database, table: string): Generator<[after: number, upTo: number]> {
    const { low, high } = db
      .prepare<[], { low: number | null; high: number | null }>(
        `SELECT min(rowid) AS low, max(rowid) AS high FROM ${quoted(table)}`,
      )
      .get()!
    if (low === null || high === null) return
    for (let after = low - 1; after < high; after += rowsPerStep)
      yield [after, Math.min(high, after + rowsPerStep)]
  }

  let last: { json: string; cleaner: Cleaner } | null = null
  function cleanerOf(json: string): Cleaner {
    if (last?.json !== json) last = { json, cleaner: createCleaner(JSON.parse(json) as Needle) }
    return last.cleaner
  }
  for (const db of Object.values(dbs)) {
    const options = { deterministic: true, directOnly: true }
    db.function('person_holds', options, (text: unknown, json: unknown) =>
      typeof text === 'string' && cleanerOf(String(json)).holds(text) ? 1 : 0,
    )
    db.function('person_clean', options, (text: unknown, json: unknown) =>
      typeof text === 'string' ? cleanerOf(String(json)).clean(text) : text,
    )
  }

  const forgetInItem = stateDb.prepare<{ id: number; digits: number; needle: string }>(
    `UPDATE outbox SET problem_json = person_clean(problem_json, @needle), answer_json = person_clean(answer_json, @needle),
       others_json = (SELECT json_group_array(value) FROM json_each(others_json) WHERE value <> @digits) WHERE id = @id`,
  )

  /** The condition that a column holds the person of `@needle`. A shorter text holds neither a number nor an email. */
  const holds = (column: string) => `(length(${column}) > 5 AND person_holds(${column}, @needle))`
  const run = (db: Database, needle: Needle, sql: string) =>
    db.prepare<{ needle: string }>(sql).run({ needle: JSON.stringify(needle) }).changes

  /**
   * Removes a person from every row that holds the number or an email, except in `untouched` tables; new tables are included. Deletes a
   * row when its key holds them. Yields how many rows each step changed.
   */
  function* scrub(db: Database, needle: Needle): Generator<number> {
    const tables = db
      .prepare<[], { name: string; wr: number }>(
        `SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
      )
      .all()
    for (const { name: table, wr } of tables) {
      if (untouched.has(table)) continue
      const textColumns = db
        .prepare<[string], { name: string; pk: number }>(
          `SELECT name, pk FROM pragma_table_info(?) WHERE type = 'TEXT'`,
        )
        .all(table)
      const namesOf = (isKey: boolean) =>
        textColumns.filter(({ pk }) => pk > 0 === isKey).map(({ name }) => quoted(name))
      const [keys, others] = [namesOf(true), namesOf(false)]
      const pieces = wr === 1 ? [null] : ranges(db, table)
      for (const piece of pieces) {
        const where = piece ? `rowid > ${piece[0]} AND rowid <= ${piece[1]} AND` : ''
        const held = (columns: string[]) => `WHERE ${where} (${columns.map(holds).join(' OR ')})`
        let changed = 0
        if (keys.length > 0) changed += run(db, needle, `DELETE FROM ${quoted(table)} ${held(keys)}`)
        if (others.length > 0) {
          const cleaned = others.map((column) => `${column} = person_clean(${column}, @needle)`).join(', ')
          changed += run(db, needle, `UPDATE ${quoted(table)} SET ${cleaned} ${held(others)}`)
        }
        yield changed
      }
    }
  }

  const change = (db: Database, needle: Needle, sql: string, column: string) =>
    run(db, needle, `${sql} WHERE ${holds(column)}`)

  return {
    put: ({ needle, keepHold, removed, kept, files, ...erasure }: Erasure) =>
      void put.run({
        ...erasure,
        needleBase64: needle === null ? null : Buffer.from(JSON.stringify(needle)).toString('base64'),
        keepHold: keepHold ? 1 : 0,
        removedJson: JSON.stringify(removed),
        keptJson: JSON.stringify(kept),
        filesJson: JSON.stringify(files),
      }),
    setTask: (id: string, taskId: string) => void setTask.run(taskId, id),
    get(id: string): Erasure | null {
      const row = get.get(id)
      return row ? toErasure(row) : null
    },
    list: (limit: number) => newest.all(limit).map(toErasure),
    unfinished: () => unfinished.all().map(toErasure),
    /** The name of an import's or a send's source; null if unknown. */
    nameOf: (id: string): Said | null => {
      const name = nameOf.get({ id })
      return name === undefined ? null : saidOf(name)
    },
    /** Whether you send from this number, judged by the newest events. */
    isOwnNumber: (digits: string) => ownNumber.get(digits, `+${digits}`) === 1,
    /** Requests whose number may be this one, in steps. */
    *outboxItems(digits: string): Generator<FoundItem[]> {
      const high = highestItem.get() ?? 0
      const phone = `+${digits}`
      for (let after = 0; after < high; after += rowsPerStep)
        yield itemsOf.all({
          phone,
          digits: Number(digits),
          after,
          upTo: Math.min(high, after + rowsPerStep),
        })
    },
    blankItem: (id: number) => blankItem.run(id).changes,
    /** Removes the number from a request to another one. */
    forgetInItem: (id: number, needle: Needle) =>
      forgetInItem.run({ id, digits: Number(needle.digits), needle: JSON.stringify(needle) }).changes,
    /** Events of the number, also in national `forms`, and events whose text contains it or an email, in steps. */
    *events(needle: Needle, forms: readonly string[]): Generator<number[]> {
      // `digits` has the digits of both numbers, with their country code if they had one.
      const isTheirs = [needle.digits, ...forms].map((form) => `instr(' ' || digits || ' ', ' ${form} ') > 0`)
      const find = stateDb
        .prepare<{ after: number; upTo: number; needle: string }, number>(
          `SELECT seq FROM events WHERE seq > @after AND seq <= @upTo
           AND (${isTheirs.join(' OR ')} OR ${holds('content')})`,
        )
        .pluck()
      for (const [after, upTo] of ranges(stateDb, 'events'))
        yield find.all({ after, upTo, needle: JSON.stringify(needle) })
    },
    /** Holds whose sender can't be read as a number but spells this one. */
    unreadHolds: (needle: Needle): number[] =>
      stateDb
        .prepare<{ needle: string }, number>(
          `SELECT id FROM holds WHERE digits IS NULL AND ${holds('phone')}`,
        )
        .pluck()
        .all({ needle: JSON.stringify(needle) }),
    /** Whether an entry of the DNC list that can't be read spells the number. */
    isListedUnread: (needle: Needle): boolean =>
      cacheDb
        .prepare<{ needle: string }>(
          `SELECT 1 FROM dnc_entries WHERE digits IS NULL AND gone_ms IS NULL AND ${holds('phone_number')} LIMIT 1`,
        )
        .get({ needle: JSON.stringify(needle) }) !== undefined,
    /** Deliveries that could not be read. */
    quarantined: () => quarantined.all(),
    /** Events made from a delivery. */
    eventsOf: (seq: number) => eventsOf.all({ seq }),
    /** Deliveries behind an event. */
    deliveriesOf: (seq: number) => deliveriesOf.all({ seq }),
    scrub: (which: keyof typeof dbs, needle: Needle) => scrub(dbs[which], needle),
    /** Sends that aren't queued yet and hold the person in their order. */
    preparedSends: (needle: Needle): string[] =>
      stateDb
        .prepare<{ needle: string }, string>(
          `SELECT id FROM ott_sends WHERE batch_id IS NULL AND ${holds('order_json')}`,
        )
        .pluck()
        .all({ needle: JSON.stringify(needle) }),
    /** Looked-up messages keep their ids and lose their records. */
    forgetLookups: (needle: Needle) =>
      change(
        stateDb,
        needle,
        'UPDATE message_lookups SET record_json = NULL, as_of_ms = NULL',
        'record_json',
      ),
    /** Dry runs lose their examples. */
    forgetSamples: (needle: Needle) =>
      change(stateDb, needle, 'UPDATE ott_sends SET samples_json = NULL', 'samples_json'),
    /** Deletes cached answers; they can be fetched again. */
    forgetAnswers: (needle: Needle) =>
      [cacheDb, stateDb].reduce((count, db) => {
        const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'answers'").get()
        return has ? count + change(db, needle, 'DELETE FROM answers', 'body_json') : count
      }, 0),
  }
}

export type EraseRepository = ReturnType<typeof createEraseRepository>
