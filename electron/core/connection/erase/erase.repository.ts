import type { ErasedPlace, KeptReason } from '../../../contract/erase.ts'
import type { Database } from '../../../database/open.ts'
import type { Needle } from './needle.ts'

/** An erasure as it is stored. `needle` is null once everything is removed. */
export interface Erasure {
  id: string
  ending: string
  taskId: string
  needle: Needle | null
  keepHold: boolean
  removed: Partial<Record<ErasedPlace, number>>
  kept: Partial<Record<KeptReason, number>>
  startedMs: number
  endedMs: number | null
}

interface Row {
  id: string
  ending: string
  taskId: string
  needleJson: string | null
  keepHold: number
  removedJson: string
  keptJson: string
  startedMs: number
  endedMs: number | null
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
  'campaign_snapshots',
  'outbox',
  'holds',
  'erasures',
  'dnc_entries',
  'error_codes',
])
/** Rows per statement: about 10 ms. */
const rowsPerStep = 10_000

const columns = `id, ending, task_id AS taskId, needle_json AS needleJson, keep_hold AS keepHold, removed_json AS removedJson,
  kept_json AS keptJson, started_ms AS startedMs, ended_ms AS endedMs`

const toErasure = ({ needleJson, keepHold, removedJson, keptJson, ...row }: Row): Erasure => ({
  ...row,
  needle: needleJson === null ? null : (JSON.parse(needleJson) as Needle),
  keepHold: keepHold === 1,
  removed: JSON.parse(removedJson) as Erasure['removed'],
  kept: JSON.parse(keptJson) as Erasure['kept'],
})

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Erasures in `state.db`, and what they remove there and in `cache.db`. */
export function createEraseRepository(stateDb: Database, cacheDb: Database) {
  const put = stateDb.prepare(`
    INSERT INTO erasures (id, ending, task_id, needle_json, keep_hold, removed_json, kept_json, started_ms, ended_ms)
    VALUES (@id, @ending, @taskId, @needleJson, @keepHold, @removedJson, @keptJson, @startedMs, @endedMs)
    ON CONFLICT (id) DO UPDATE SET needle_json = excluded.needle_json,
      removed_json = excluded.removed_json, kept_json = excluded.kept_json, ended_ms = excluded.ended_ms`)
  const setTask = stateDb.prepare<[string, string]>('UPDATE erasures SET task_id = ? WHERE id = ?')
  const get = stateDb.prepare<[string], Row>(`SELECT ${columns} FROM erasures WHERE id = ?`)
  const newest = stateDb.prepare<[number], Row>(
    `SELECT ${columns} FROM erasures ORDER BY started_ms DESC LIMIT ?`,
  )
  const unfinished = stateDb.prepare<[], Row>(`SELECT ${columns} FROM erasures WHERE ended_ms IS NULL`)
  const highestItem = stateDb.prepare<[], number | null>('SELECT max(id) FROM outbox').pluck()
  const itemsOf = stateDb.prepare<[number, number, string], { id: number; state: string; isDeletion: 0 | 1 }>(
    `SELECT id, state, operation = 'delete-contact' AS isDeletion FROM outbox WHERE id > ? AND id <= ? AND phone = ?`,
  )
  // A deletion that still has to leave needs its body.
  const blankItem = stateDb.prepare<[number]>(
    `UPDATE outbox SET name = '', phone = '', problem_json = NULL, answer_json = NULL,
       body_json = iif(operation = 'delete-contact', body_json, '{}') WHERE id = ? AND phone <> ''`,
  )
  // `digits` has the digits of both numbers, so their spelling does not matter.
  const eventsHolding = (texts: number) =>
    stateDb
      .prepare<unknown[], number>(
        `SELECT seq FROM events WHERE seq > ? AND seq <= ?
         AND (' ' || digits || ' ' LIKE ? ${'OR instr(content, ?) > 0 '.repeat(texts)})`,
      )
      .pluck()
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

  /**
   * Replaces texts in every text column, except in `untouched` tables; new tables are included. Deletes a row when its key contains
   * a text. Yields how many rows each step changed.
   */
  function* scrub(db: Database, texts: readonly { text: string; with: string }[]): Generator<number> {
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
      const pieces = wr === 1 ? [null] : ranges(db, table)
      for (const piece of pieces) {
        const where = piece ? `rowid > ${piece[0]} AND rowid <= ${piece[1]} AND` : ''
        let changed = 0
        for (const { name, pk } of textColumns)
          for (const { text, with: instead } of texts) {
            const column = quoted(name)
            const found = `WHERE ${where} instr(${column}, ?) > 0`
            changed +=
              pk > 0
                ? db.prepare(`DELETE FROM ${quoted(table)} ${found}`).run(text).changes
                : db
                    .prepare(`UPDATE ${quoted(table)} SET ${column} = replace(${column}, ?, ?) ${found}`)
                    .run(text, instead, text).changes
          }
        yield changed
      }
    }
  }

  const dropRows = (db: Database, sql: string, texts: readonly string[]) =>
    texts.reduce((count, text) => count + db.prepare(sql).run(text).changes, 0)

  return {
    put: ({ needle, keepHold, removed, kept, ...erasure }: Erasure) =>
      void put.run({
        ...erasure,
        needleJson: needle === null ? null : JSON.stringify(needle),
        keepHold: keepHold ? 1 : 0,
        removedJson: JSON.stringify(removed),
        keptJson: JSON.stringify(kept),
      }),
    setTask: (id: string, taskId: string) => void setTask.run(taskId, id),
    get(id: string): Erasure | null {
      const row = get.get(id)
      return row ? toErasure(row) : null
    },
    list: (limit: number) => newest.all(limit).map(toErasure),
    unfinished: () => unfinished.all().map(toErasure),
    /** Whether you send from this number, judged by the newest events. */
    isOwnNumber: (digits: string) => ownNumber.get(digits, `+${digits}`) === 1,
    /** Requests about a number, in steps. */
    *outboxItems(digits: string): Generator<{ id: number; state: string; isDeletion: 0 | 1 }[]> {
      const high = highestItem.get() ?? 0
      for (let after = 0; after < high; after += rowsPerStep)
        yield itemsOf.all(after, Math.min(high, after + rowsPerStep), `+${digits}`)
    },
    blankItem: (id: number) => blankItem.run(id).changes,
    /** Events of a number, and events whose text contains one of `texts`, in steps. */
    *events(digits: string, texts: readonly string[]): Generator<number[]> {
      const find = eventsHolding(texts.length + 1)
      for (const [after, upTo] of ranges(stateDb, 'events'))
        yield find.all(after, upTo, `% ${digits} %`, digits, ...texts)
    },
    /** Deliveries that could not be read. */
    quarantined: () => quarantined.all(),
    /** Events made from a delivery. */
    eventsOf: (seq: number) => eventsOf.all({ seq }),
    /** Deliveries behind an event. */
    deliveriesOf: (seq: number) => deliveriesOf.all({ seq }),
    scrub: (which: 'state' | 'cache', texts: readonly { text: string; with: string }[]) =>
      scrub(which === 'state' ? stateDb : cacheDb, texts),
    /** Looked-up messages keep their ids and lose their records. */
    forgetLookups: (texts: readonly string[]) =>
      dropRows(
        stateDb,
        'UPDATE message_lookups SET record_json = NULL, as_of_ms = NULL WHERE instr(record_json, ?) > 0',
        texts,
      ) +
      dropRows(stateDb, 'UPDATE ott_sends SET samples_json = NULL WHERE instr(samples_json, ?) > 0', texts),
    /** Deletes cached answers; they can be fetched again. */
    forgetAnswers: (texts: readonly string[]) =>
      [cacheDb, stateDb].reduce((count, db) => {
        const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'answers'").get()
        return has ? count + dropRows(db, 'DELETE FROM answers WHERE instr(body_json, ?) > 0', texts) : count
      }, 0),
  }
}

export type EraseRepository = ReturnType<typeof createEraseRepository>
