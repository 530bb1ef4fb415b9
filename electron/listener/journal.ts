import type { Phrase } from '../contract/phrases.ts'
import { statSync } from 'node:fs'
import { AppError } from '../contract/errors.ts'
import { mapSqliteError } from '../database/errors.ts'
import { type Database, openDatabase, type OpenOptions } from '../database/open.ts'
import { truncateLog } from '../database/truncate-log.ts'
import { emptyWitness, openWitness, readWitness, type Witness } from '../database/witness.ts'
import { mostRelayPeriods, type RelayPosition, relayStatements } from './journal-relays.ts'
import type { JournalLoss, JournalPrune } from './protocol.ts'
import { singleEvents } from './single-events.ts'

/** `signed` matched a secret; `unsigned` had no signature to check. */
type DeliveryVerdict = 'signed' | 'unsigned'

/** The body was erased on request. The row keeps its number and makes no event. */
export const erasedVerdict = 'erased'

export interface Delivery {
  receivedMs: number
  verdict: DeliveryVerdict
  /** The matching secret, null when unsigned. */
  secretId: string | null
  remote: string
  /** JSON array of `[name, value]`; see `keptHeaders`. */
  headersJson: string
  body: Uint8Array
}

/** A stored delivery. `seq` rises, with numbers missing where deliveries were lost or pruned. */
export interface JournalRow extends Delivery {
  seq: number
  body: Buffer
}

/**
 * Why a listening span ended. `crashed`: written by the next start, at the last heartbeat or delivery. `suspended`: the
 * machine slept. `not-stored`: storage failed. `no-secret`: no delivery could be verified. `switched`: another connection was
 * opened. `restarted`: the same one was reopened.
 */
export type SpanEnd =
  | 'closed'
  | 'switched'
  | 'restarted'
  | 'crashed'
  | 'moved'
  | 'suspended'
  | 'not-stored'
  | 'no-secret'

/** A period in which the listener could take deliveries. Milliseconds since the Unix epoch. */
export interface Span {
  id: number
  startedMs: number
  /** Last heartbeat, at most 5 s old while it runs. */
  aliveMs: number
  endedMs: number | null
  endReason: SpanEnd | null
  port: number
  /** First stored delivery; proves that the service reaches this port. */
  firstDeliveryMs: number | null
}

export type Journal = ReturnType<typeof openJournal>

/** One `prune` transaction takes about a millisecond, for which an acknowledgement may wait. */
const pruneBatchRows = 100
const pruneBatchBytes = 64 * 1024

const touchEveryMs = 1_000

type DeliveryValues = [number, number, string, string | null, string, string, Uint8Array]

const insertInto =
  'INSERT INTO deliveries (seq, received_ms, verdict, secret_id, remote, headers_json, body) VALUES'
const placeholders = '(?, ?, ?, ?, ?, ?, ?)'

/** Inserting 16 rows at a time takes 2.5 instead of 3.1 µs per delivery (batches of 64). */
const rowsPerInsert = 16

const valuesOf = (seq: number, one: Delivery): DeliveryValues => [
  seq,
  one.receivedMs,
  one.verdict,
  one.secretId,
  one.remote,
  one.headersJson,
  one.body,
]

/** No heartbeat for this long means the process was stopped or the machine slept. */
export const suspendedAfterMs = 15_000

/** What was lost since the witness was written, and its new state. */
function compare(
  db: Database,
  known: Witness,
  opened: ReturnType<typeof openDatabase>,
): { loss?: JournalLoss; found: Witness } {
  const storedSeq = lastSeqOf(db)
  const newest = Math.max(storedSeq, known.storedSeq)
  const lastSeq = Math.max(newest, known.lastSeq)
  if (opened.setAside) {
    const kept = db.prepare<[], number>('SELECT count(*) FROM deliveries').pluck().get() ?? 0
    const pruned = db.prepare<[], number>('SELECT coalesce(sum(count), 0) FROM pruned').pluck().get() ?? 0
    // Numbers are consecutive: those neither stored, missing before nor pruned are lost now.
    const lostCount = Math.max(0, newest - known.missing - pruned - kept)
    const lost: Phrase = { key: 'salvage.deliveries', kept, lost: lostCount }
    return {
      loss: { asideFile: opened.setAside.asideFile, lost: newest === 0 ? opened.setAside.lost : lost },
      found: { lastSeq, storedSeq, missing: Math.max(0, storedSeq - pruned - kept) },
    }
  }
  const missing = Math.min(known.missing, storedSeq)
  if (storedSeq >= known.storedSeq) return { found: { lastSeq, storedSeq, missing } }
  const count = known.storedSeq - storedSeq
  const lost: Phrase = {
    key: 'salvage.lastDeliveries',
    n: count,
    from: String(storedSeq + 1),
    to: String(known.storedSeq),
  }
  return { loss: { asideFile: null, lost }, found: { lastSeq, storedSeq, missing } }
}

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

export const lastSeqOf = (db: Database): number =>
  db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM deliveries').pluck().get() ?? 0

/** Opens the journal for its one writer. New numbers are above `continueAfterSeq`. Throws like `openDatabase`. */
export function openJournal({
  continueAfterSeq = 0,
  ...options
}: Omit<OpenOptions, 'schema'> & { continueAfterSeq?: number; now: () => number }) {
  const known = readWitness(options.file) ?? emptyWitness
  const opened = openDatabase({ ...options, schema: 'journal' })
  const { db, file } = opened
  const { loss, found } = compare(db, known, opened)
  if (loss) options.log.error('Deliveries are missing from the journal', { ...loss })
  const witness = openWitness(file)
  const inode = inodeOf(file)
  // Reported once: the next opening reports only newer losses.
  if (loss) witness.write(found)
  let lastSeq = Math.max(found.lastSeq, continueAfterSeq)
  let { storedSeq, missing } = found

  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const insert = db.prepare<DeliveryValues>(`${insertInto} ${placeholders}`)
  const insertMany = db.prepare(`${insertInto} ${Array(rowsPerInsert).fill(placeholders).join(', ')}`)
  const insertSpan = db.prepare<[number, number, number]>(
    'INSERT INTO spans (started_ms, alive_ms, port) VALUES (?, ?, ?)',
  )
  const updateAlive = db.prepare<[number, number]>('UPDATE spans SET alive_ms = ? WHERE id = ?')
  const markFirst = db.prepare<[number, number]>('UPDATE spans SET first_delivery_ms = ? WHERE id = ?')
  const finishSpan = db.prepare<[number, string, number]>(
    'UPDATE spans SET ended_ms = ?, end_reason = ? WHERE id = ?',
  )
  const nextNumbers = db.prepare<
    [number, number, number],
    { seq: number; receivedMs: number; sizeBytes: number }
  >(
    'SELECT seq, received_ms AS receivedMs, length(body) AS sizeBytes FROM deliveries WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  )
  const anySpan = db.prepare('SELECT 1 FROM spans LIMIT 1')
  const countPruned = db.prepare<[number]>(
    'INSERT INTO pruned (id, count) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET count = count + excluded.count',
  )
  const eraseDelivery = db.prepare<[string, number]>(
    `UPDATE deliveries SET verdict = ?, secret_id = NULL, remote = '', headers_json = '[]', body = x''
     WHERE seq = ? AND length(body) > 0`,
  )
  const deleteDelivery = db.prepare<[number]>('DELETE FROM deliveries WHERE seq = ?')
  const relay = relayStatements(db)
  // After a salvage, positions could be newer than the deliveries.
  if (opened.setAside) relay.startOver.run()
  // A delivery soon after the heartbeat stored none of its own.
  db.prepare<[number]>(
    `UPDATE spans SET end_reason = 'crashed', ended_ms = coalesce(
       (SELECT received_ms FROM (SELECT received_ms FROM deliveries ORDER BY seq DESC LIMIT 1)
        WHERE received_ms BETWEEN alive_ms AND alive_ms + ?), alive_ms)
     WHERE ended_ms IS NULL`,
  ).run(touchEveryMs)

  let isReplaced = false
  let span: { id: number; aliveMs: number; port: number; hasDelivery: boolean } | undefined

  function transaction<T>(work: () => T): T {
    if (isReplaced) throw new AppError('STORAGE_MISSING', { path: file })
    try {
      begin.run()
      const result = work()
      commit.run()
      return result
    } catch (error) {
      // SQLite itself rolls back on a full disk and some I/O errors.
      if (db.inTransaction) rollback.run()
      throw mapSqliteError(error, { file })
    }
  }

  const addSpan = (nowMs: number, port: number) => {
    const id = Number(insertSpan.run(nowMs, nowMs, port).lastInsertRowid)
    return { id, aliveMs: nowMs, port, hasDelivery: false }
  }

  /** Call within a transaction. Returns the running span as of the commit. */
  function markAlive(nowMs: number): typeof span {
    if (!span) return undefined
    // A clock that was set back begins a new period too: times before and after can't be compared.
    if (Math.abs(nowMs - span.aliveMs) > suspendedAfterMs) {
      finishSpan.run(span.aliveMs, 'suspended', span.id)
      return addSpan(nowMs, span.port)
    }
    updateAlive.run(Math.max(nowMs, span.aliveMs), span.id)
    return { ...span, aliveMs: Math.max(nowMs, span.aliveMs) }
  }

  /** Call within a transaction. Their numbers follow `lastSeq`. */
  function insertAll(deliveries: readonly Delivery[]): void {
    let seq = lastSeq
    let at = 0
    while (deliveries.length - at >= rowsPerInsert) {
      const values: DeliveryValues[number][] = []
      for (const end = at + rowsPerInsert; at < end; at++) values.push(...valuesOf(++seq, deliveries[at]!))
      insertMany.run(values)
    }
    for (; at < deliveries.length; at++) insert.run(...valuesOf(++seq, deliveries[at]!))
  }

  /** Call after the commit. */
  function noteInserted(count: number): void {
    // After a loss, numbering continues above the lost numbers.
    if (count > 0) missing += lastSeq - storedSeq
    lastSeq += count
    if (count > 0) storedSeq = lastSeq
    witness.write({ lastSeq, storedSeq, missing })
  }

  return {
    loss,
    /** Commits all of `deliveries` durably or none. Returns the last seq. Throws an `AppError`. */
    append(deliveries: readonly Delivery[]): number {
      span = transaction(() => {
        let after = span
        insertAll(deliveries)
        const nowMs = deliveries.at(-1)?.receivedMs ?? 0
        if (span && Math.abs(nowMs - span.aliveMs) >= touchEveryMs) after = markAlive(nowMs)
        if (after && !after.hasDelivery) {
          markFirst.run(nowMs, after.id)
          after = { ...after, hasDelivery: true }
        }
        return after
      })
      noteInserted(deliveries.length)
      return lastSeq
    },
    /** How far the relay used last was read, and its newest sign of life; null before the first. */
    relayPosition: (): (RelayPosition & { listeningSinceMs: number }) | null => relay.newest.get() ?? null,
    /** Remembers the relay as the one used last. A new one was read up to `afterSeq`. */
    useRelay(relayId: string, afterSeq: number, nowMs: number): void {
      transaction(() => relay.use.run(relayId, afterSeq, nowMs, nowMs))
    },
    /** When everything at a relay was last read; 0 if never. */
    relayCaughtUpMs: (): number => relay.caughtUpMs.get() ?? 0,
    /**
     * Commits deliveries of a relay together with `upToSeq`, its new position, and `caughtUpMs`. Skips those read before;
     * refused ones are missing from `deliveries`. Returns those stored. Throws an `AppError`.
     */
    appendFromRelay(
      { relayId, seq: upToSeq, caughtUpMs }: RelayPosition & { caughtUpMs: number },
      deliveries: readonly (Delivery & { relaySeq: number })[],
    ): readonly Delivery[] {
      let count = 0
      const stored = transaction(() => {
        const known = relay.seqOf.get(relayId) ?? 0
        if (upToSeq <= known) return []
        const fresh = deliveries.filter(({ relaySeq }) => relaySeq > known)
        const events = fresh.flatMap(singleEvents)
        count = events.length
        insertAll(events)
        const [first] = fresh
        if (first) relay.endLoss.run(first.receivedMs, relayId, known)
        relay.moveTo.run(upToSeq, first?.receivedMs ?? Infinity, fresh.at(-1)?.receivedMs ?? null, relayId)
        relay.caughtUp.run(caughtUpMs, relayId)
        return fresh
      })
      if (count > 0) noteInserted(count)
      return stored
    },
    /** Records deliveries that the relay no longer has, and continues after them. Unknown times are null. */
    loseAtRelay(
      { relayId, seq: toSeq }: RelayPosition,
      { fromMs, toMs }: { fromMs: number | null; toMs: number | null },
    ): void {
      transaction(() => {
        const known = relay.seqOf.get(relayId) ?? 0
        if (toSeq <= known) return
        relay.lose.run(known + 1, toSeq, fromMs, toMs, relayId)
        relay.moveTo.run(toSeq, Infinity, null, relayId)
      })
    },
    /** When the relay could receive. Known periods are replaced; the oldest go when there are too many. */
    recordRelayPeriods(
      relayId: string,
      periods: readonly Pick<Span, 'id' | 'startedMs' | 'aliveMs' | 'endedMs'>[],
    ): void {
      transaction(() => {
        for (const { id, startedMs, aliveMs, endedMs } of periods)
          relay.period.run(relayId, id, startedMs, aliveMs, endedMs)
        relay.dropOldPeriods.run(mostRelayPeriods)
      })
    },
    lastSeq: () => lastSeq,
    /**
     * Deletes the next few deliveries in (afterSeq, upToSeq] older than `beforeMs`, in one short transaction. `keep`
     * and the highest number stay. `nextSeq` is where to continue, null at the end.
     */
    prune({ afterSeq, upToSeq, beforeMs, keep }: JournalPrune): {
      deleted: number
      nextSeq: number | null
    } {
      const kept = new Set(keep)
      const found: { seq: number; receivedMs: number; sizeBytes: number }[] = []
      let bytesLeft = pruneBatchBytes
      for (const row of nextNumbers.iterate(afterSeq, Math.min(upToSeq, storedSeq - 1), pruneBatchRows)) {
        found.push(row)
        if ((bytesLeft -= row.sizeBytes) <= 0) break
      }
      const deleted = found.filter(({ seq, receivedMs }) => receivedMs < beforeMs && !kept.has(seq))
      if (deleted.length > 0)
        transaction(() => {
          for (const { seq } of deleted) deleteDelivery.run(seq)
          countPruned.run(deleted.length)
        })
      const isEnd = found.length < pruneBatchRows && bytesLeft > 0
      return { deleted: deleted.length, nextSeq: isEnd ? null : found.at(-1)!.seq }
    },
    /** Empties body, headers and sender but keeps the numbers. Returns how many were not empty. */
    erase(seqs: readonly number[]): number {
      return transaction(() =>
        seqs.reduce((erased, seq) => erased + eraseDelivery.run(erasedVerdict, seq).changes, 0),
      )
    },
    /** False while a reader blocks it. */
    truncateLog: () => truncateLog(db),
    beginSpan(nowMs: number, port: number): void {
      span = transaction(() => addSpan(nowMs, port))
    },
    /** Heartbeat, to call every few seconds. Throws `STORAGE_MISSING` when the file was deleted or replaced. */
    touch(nowMs: number): void {
      // SQLite keeps committing into an unlinked file without an error.
      isReplaced = inodeOf(file) !== inode
      span = transaction(() => markAlive(nowMs))
    },
    /** Ends the running span, if any: at its last heartbeat, as `suspended`, when the machine slept since. */
    endSpan(endedMs: number, reason: SpanEnd): void {
      const ending = span
      if (!ending) return
      const slept = endedMs - ending.aliveMs > suspendedAfterMs
      transaction(() =>
        finishSpan.run(
          slept ? ending.aliveMs : Math.max(endedMs, ending.aliveMs),
          slept ? 'suspended' : reason,
          ending.id,
        ),
      )
      span = undefined
    },
    /** Whether a span was ever recorded. */
    hasListened: (): boolean => anySpan.get() !== undefined,
    /** Whether a span runs. */
    isListening: () => span !== undefined,
    /** Last heartbeat of the running span. */
    aliveMs: () => span?.aliveMs ?? 0,
    close(): void {
      witness.close()
      opened.close()
    },
  }
}
