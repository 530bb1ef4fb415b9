import type {
  InboundProblem,
  OutboxAnswer,
  OutboxFilter,
  OutboxItem,
  OutboxState,
  OutboxStatus,
  OutboxStuck,
} from '../../../contract/people/outbox.ts'
import type { Database } from '../../../database/open.ts'
import { isHoldReason } from '../../../contract/phrases.ts'
import { whereOf } from '../../../jobs/sends/outbox-filter.ts'
import { createOutboxBatches, outboxStatuses, statusCounts } from './outbox-batches.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import {
  itemColumns as columns,
  type NewItem,
  type OldRecord,
  type StoredItem,
  type StoredRow,
  toItem,
  toStored,
  valuesWithout,
} from './stored-item.ts'

/** Items selected by id, or all that match a filter but a few. */
export type ItemSelection = { ids: number[] } | { filter: OutboxFilter; exceptIds?: number[] | undefined }

export type OutboxRepository = ReturnType<typeof createOutboxRepository>

/** When, and by whom a message would leave: `CredentialSource.identity`. */
interface Asked {
  nowMs: number
  identity: string | null
}

function statusOf({
  state,
  resolution,
  problem,
}: Pick<StoredItem, 'state' | 'resolution' | 'problem'>): OutboxStatus {
  if (state === 'rejected' && problem?.code === 'ON_DNC')
    return isHoldReason(problem.data['reason']) ? 'held' : 'not-sent'
  return state === 'cancelled' && resolution !== null && resolution !== 'marked-done' ? resolution : state
}

export function createOutboxRepository(db: Database) {
  const all = (sql: string, ...params: unknown[]) =>
    (db.prepare(sql).all(...params) as StoredRow[]).map(toStored)
  const add = db.prepare(`
    INSERT INTO outbox (batch_id, operation, state, name, phone, others_json, contact_id, old_of, again_of, service_id, body_json, after_id, queued_ms, effect, values_of, hours_json, clear_until_ms, clear_by, unchecked)
    VALUES (@batchId, @operation, @state, @name, @phone, @othersJson, @contactId, @oldOf, @againOf, @serviceId, @bodyJson, @afterId, @nowMs, @operation <> 'send-ott' AND coalesce(@contactId, @oldOf) IS NOT NULL,
      coalesce(@valuesOf, (SELECT values_of FROM outbox WHERE id = @againOf)), @hoursJson, @clearUntilMs, @clearBy,
      max(@unchecked, coalesce((SELECT unchecked FROM outbox_batches WHERE id = @batchId), 0)))`)
  const get = db.prepare<[number], StoredRow>(`SELECT ${columns} FROM outbox WHERE id = ?`)
  const update = db.prepare(`
    UPDATE outbox SET state = @state, service_id = @serviceId, service_status = @serviceStatus, answer_json = @answerJson, problem_code = @problemCode, problem_json = @problemJson,
      sent_ms = @sentMs, ended_ms = @endedMs, resolution = @resolution, attempts = @attempts, after_id = @afterId, not_before_ms = @notBeforeMs, unchecked = @unchecked, without_inbound = @withoutInbound,
      effect = operation <> 'send-ott' AND coalesce(contact_id, old_of) IS NOT NULL
    WHERE id = @id`)
  const inState = db.prepare<[string, number], StoredRow>(
    `SELECT ${columns} FROM outbox WHERE state = ? ORDER BY id LIMIT ?`,
  )
  const isChecked = "(operation <> 'send-ott' OR unchecked = 1 OR clear_until_ms > 0)"
  // While signed out any identity matches; nothing leaves anyway.
  const isOther = 'clear_by IS NOT coalesce(@identity, clear_by)'
  const isClear = `(operation <> 'send-ott' OR unchecked = 1 OR (clear_until_ms > @nowMs AND NOT ${isOther}))`
  const withoutCheck = db.prepare<Asked & { limit: number }, StoredRow>(
    `SELECT ${columns} FROM outbox INDEXED BY outbox_without_check
     WHERE state = 'queued' AND ${isChecked} AND ${isClear} ORDER BY id LIMIT @limit`,
  )
  const withoutInbound = db.prepare<Asked & { limit: number; needsCheck: 0 | 1; inbound: number }, StoredRow>(
    `SELECT ${columns} FROM outbox INDEXED BY outbox_without_inbound
     WHERE state = 'queued' AND (operation <> 'send-ott' OR without_inbound > 0) AND (operation <> 'send-ott' OR without_inbound & @inbound = @inbound)
       AND (@needsCheck = 0 OR ${isClear}) ORDER BY id LIMIT @limit`,
  )
  const messageWhere = <P>(index: string, condition: string) =>
    db
      .prepare<[P], 0 | 1>(
        `SELECT EXISTS (SELECT 1 FROM outbox INDEXED BY ${index}
         WHERE state = 'queued' AND operation = 'send-ott' AND ${condition})`,
      )
      .pluck()
  const needsCheck = messageWhere<Asked>(
    'outbox_needs_check',
    `unchecked = 0 AND (clear_until_ms <= @nowMs OR ${isOther})`,
  )
  const needsInbound = messageWhere<string>(
    'outbox_needs_inbound',
    'without_inbound IN (SELECT value FROM json_each(?))',
  )
  const unapplied = db.prepare<[number], StoredRow>(
    `SELECT ${columns} FROM outbox WHERE contact_id = ? AND effect = 1 AND state = 'done' AND operation <> 'send-ott' ORDER BY id DESC LIMIT 1`,
  )
  const madeUnapplied = db.prepare<[string], { id: number; phone: string }>(
    `SELECT contact_id AS id, phone FROM outbox WHERE effect = 1 AND service_id = ? AND state = 'done' AND operation = 'create-contact'`,
  )
  const answerOfContact = db.prepare<[number, string], StoredRow>(
    `SELECT ${columns} FROM outbox WHERE contact_id = ? AND service_id = ? AND operation = 'create-contact' AND answer_json IS NOT NULL
     ORDER BY id DESC LIMIT 1`,
  )
  const openOfContact = db.prepare<[number], StoredRow>(
    `SELECT ${columns} FROM outbox WHERE contact_id = ? AND operation <> 'send-ott'
       AND state IN ('undoable', 'scheduled', 'queued', 'blocked', 'in-flight', 'unknown') ORDER BY id`,
  )
  const nextHours = db
    .prepare<[], number | null>(
      "SELECT min(not_before_ms) FROM outbox INDEXED BY outbox_scheduled WHERE state = 'scheduled' AND not_before_ms > 0",
    )
    .pluck()
  const followers = db.prepare<[number], StoredRow>(`SELECT ${columns} FROM outbox WHERE after_id = ?`)
  const oldRecords = db.prepare<[string], OldRecord & { oldOf: number }>(
    'SELECT old_of AS oldOf, state, service_id AS serviceId FROM outbox WHERE old_of IN (SELECT value FROM json_each(?))',
  )
  const unconfirmedSince = db
    .prepare<[], number | null>(
      "SELECT min(coalesce(ended_ms, sent_ms, queued_ms)) FROM outbox WHERE state = 'unknown'",
    )
    .pluck()
  const rejectedSince = db.prepare<[number], { isHere: 0 | 1; count: number; sinceMs: number }>(
    `SELECT problem_code IS 'ON_DNC' AS isHere, count(*) AS count, min(coalesce(ended_ms, queued_ms)) AS sinceMs FROM outbox
     WHERE state = 'rejected' AND coalesce(ended_ms, queued_ms) >= ? GROUP BY isHere`,
  )
  const applied = db.prepare<[number, string]>('UPDATE outbox SET effect = 0 WHERE id = ? AND state = ?')
  function conditions(selection: ItemSelection): ReturnType<typeof whereOf> {
    if ('ids' in selection)
      return { sql: ['id IN (SELECT value FROM json_each(?))'], params: [JSON.stringify(selection.ids)] }
    const { filter, exceptIds = [] } = selection
    const { sql, params } = whereOf(filter)
    if (exceptIds.length === 0) return { sql, params }
    return {
      sql: [...sql, 'id NOT IN (SELECT value FROM json_each(?))'],
      params: [...params, JSON.stringify(exceptIds)],
    }
  }
  const where = (sql: string[]) => (sql.length === 0 ? '' : `WHERE ${sql.join(' AND ')}`)
  /** Updated with each change: counting a long outbox takes too long for a page. */
  let known: Record<OutboxStatus, number> | null = null
  const count = statusCounts(db)
  const counted = () => (known ??= count())
  function countWhere(sql: string[], params: unknown[], filter: OutboxFilter | null): number {
    // A filter on states alone is answered from the counts.
    if (filter && sql.length === whereOf({ states: filter.states }).sql.length) {
      const states = filter.states?.length ? [...new Set(filter.states)] : outboxStatuses
      return states.reduce((sum, state) => sum + counted()[state], 0)
    }
    return db
      .prepare(`SELECT count(*) FROM outbox ${where(sql)}`)
      .pluck()
      .get(...params) as number
  }
  const read = (id: number) => {
    const row = get.get(id)
    return row ? toStored(row) : null
  }

  return {
    transaction<T>(work: () => T): T {
      try {
        return db.transaction(work).immediate()
      } catch (error) {
        // The counts include changes that were rolled back.
        known = null
        throw error
      }
    },
    ...createOutboxBatches(db),
    add(
      batchId: string,
      {
        body,
        others = [],
        oldOf = null,
        againOf = null,
        valuesOf = null,
        hours = null,
        unchecked = false,
        clearUntilMs = 0,
        clearBy = null,
        ...item
      }: NewItem,
      state: OutboxState,
      nowMs: number,
    ): number {
      const row = {
        ...item,
        oldOf,
        againOf,
        valuesOf,
        batchId,
        state,
        nowMs,
        othersJson: JSON.stringify(others),
        hoursJson: hours && JSON.stringify(hours),
        unchecked: unchecked ? 1 : 0,
        clearUntilMs,
        clearBy,
        bodyJson: JSON.stringify(body),
      }
      const id = Number(add.run(row).lastInsertRowid)
      if (known) known[state]++
      return id
    },
    get: read,
    /** Changes an item and marks the change for its contact. */
    update(
      id: number,
      change: Partial<
        Pick<
          StoredItem,
          | 'state'
          | 'serviceId'
          | 'serviceStatus'
          | 'answer'
          | 'afterId'
          | 'problem'
          | 'sentMs'
          | 'endedMs'
          | 'resolution'
          | 'attempts'
          | 'notBeforeMs'
          | 'unchecked'
          | 'withoutInbound'
        >
      >,
    ): void {
      const item = read(id)
      if (!item) return
      const next = { ...item, ...change }
      update.run({
        id,
        state: next.state,
        serviceId: next.serviceId,
        serviceStatus: next.serviceStatus,
        answerJson: next.answer === null ? null : JSON.stringify(next.answer),
        problemCode: next.problem?.code ?? null,
        problemJson: next.problem === null ? null : JSON.stringify(next.problem.data),
        sentMs: next.sentMs,
        endedMs: next.endedMs,
        resolution: next.resolution,
        attempts: next.attempts,
        afterId: next.afterId,
        // Only a scheduled item waits for a time.
        notBeforeMs: next.state === 'scheduled' ? next.notBeforeMs : null,
        unchecked: next.unchecked ? 1 : 0,
        // The choice is about what is queued then.
        withoutInbound: next.state === 'queued' || next.state === 'in-flight' ? next.withoutInbound : 0,
      })
      if (known) {
        known[statusOf(item)]--
        known[statusOf(next)]++
      }
    },
    inState: (state: OutboxState, limit = Number.MAX_SAFE_INTEGER): StoredItem[] =>
      inState.all(state, limit).map(toStored),
    /** Whether a queued message lacks a DNC check. */
    needsCheck: (asked: Asked): boolean => needsCheck.get(asked) === 1,
    /** Whether a queued message was not chosen to leave despite this problem. */
    needsInbound: (problem: InboundProblem): boolean => needsInbound.get(valuesWithout[problem]) === 1,
    /**
     * Queued items that may leave, oldest first: without a check if `needsCheck`, and despite the problems of the bits `inbound`. At least one
     * is asked for.
     */
    queuedWithout: (needsCheck: boolean, inbound: number, asked: Asked, limit: number): StoredItem[] =>
      (inbound > 0
        ? withoutInbound.all({ ...asked, limit, needsCheck: needsCheck ? 1 : 0, inbound })
        : withoutCheck.all({ ...asked, limit })
      ).map(toStored),
    followers: (afterId: number): StoredItem[] => followers.all(afterId).map(toStored),
    /** Items that wait for the end of their batch's undo window or for its start, above an id. The index has them in order. */
    heldOf: (
      batchId: string,
      state: 'undoable' | 'scheduled',
      afterId: number,
      limit: number,
    ): StoredItem[] =>
      all(
        `SELECT ${columns} FROM outbox INDEXED BY outbox_by_batch
         WHERE batch_id = ? AND state = ? AND not_before_ms IS NULL AND id > ? ORDER BY id LIMIT ?`,
        batchId,
        state,
        afterId,
        limit,
      ),
    /** Items whose hours have begun. */
    withinHours: (nowMs: number, limit: number): StoredItem[] =>
      all(
        `SELECT ${columns} FROM outbox INDEXED BY outbox_scheduled
         WHERE state = 'scheduled' AND not_before_ms <= ? ORDER BY not_before_ms, id LIMIT ?`,
        nowMs,
        limit,
      ),
    nextHoursMs: (): number | null => nextHours.get() ?? null,
    /** The service's answer to the creation of this record; null if it was not stored. */
    answerOfContact(contactId: number, serviceId: string): OutboxAnswer | null {
      const row = answerOfContact.get(contactId, serviceId)
      return row ? toStored(row).answer : null
    },
    /** The contact's finished item that is not yet applied to it. */
    unappliedOfContact(contactId: number): StoredItem | null {
      const row = unapplied.get(contactId)
      return row ? toStored(row) : null
    },
    /** Deletions of old records, by contact. */
    oldRecordsOf(contactIds: readonly number[]): Map<number, OldRecord[]> {
      const found = new Map<number, OldRecord[]>()
      for (const { oldOf, ...record } of oldRecords.all(JSON.stringify(contactIds)))
        found.set(oldOf, [...(found.get(oldOf) ?? []), record])
      return found
    },
    /** Whether a later creation of the same contact was queued and not cancelled. */
    isOvertaken: ({ id, contactId, operation }: StoredItem): boolean =>
      contactId !== null &&
      operation === 'create-contact' &&
      db
        .prepare(
          `SELECT 1 FROM outbox WHERE contact_id = ? AND id > ? AND operation = 'create-contact' AND state <> 'cancelled'`,
        )
        .get(contactId, id) !== undefined,
    /** The contact's open and unconfirmed items, without messages sent to it. */
    openOfContact: (contactId: number): StoredItem[] => openOfContact.all(contactId).map(toStored),
    /** These, newest first. */
    items: (ids: readonly number[]): OutboxItem[] =>
      all(
        `SELECT ${columns} FROM outbox WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
        JSON.stringify(ids),
      ).map(toItem),
    /** `filter` has no text: comparing it with every request takes too long here. */
    list(
      filter: OutboxFilter,
      limit: number,
      cursor: number | undefined,
    ): { items: OutboxItem[]; total: number } {
      const { sql, params } = whereOf(filter)
      const items = all(
        `SELECT ${columns} FROM outbox ${where([...sql, ...(cursor === undefined ? [] : ['id < ?'])])} ORDER BY id DESC LIMIT ?`,
        ...params,
        ...(cursor === undefined ? [] : [cursor]),
        limit,
      )
      return { items: items.map(toItem), total: countWhere(sql, params, filter) }
    },
    /** Items of a selection in one of these states, above an id, by rising id. */
    select(
      selection: ItemSelection,
      states: readonly OutboxState[],
      afterId: number,
      limit: number,
    ): StoredItem[] {
      const { sql, params } = conditions(selection)
      const inStates = `state IN (${states.map((state) => `'${state}'`).join(', ')})`
      return all(
        `SELECT ${columns} FROM outbox ${where([...sql, inStates, 'id > ?'])} ORDER BY id LIMIT ?`,
        ...params,
        afterId,
        limit,
      )
    },
    /** The batch of the unconfirmed items of a selection; null if there are several, or none. */
    onlyBatchOf(selection: ItemSelection): string | null {
      const { sql, params } = conditions(selection)
      const found = db
        .prepare<unknown[], string>(
          `SELECT DISTINCT batch_id FROM outbox ${where([...sql, "state = 'unknown'"])} LIMIT 2`,
        )
        .pluck()
        .all(...params)
      return found.length === 1 ? found[0]! : null
    },
    countSelected(selection: ItemSelection): number {
      const { sql, params } = conditions(selection)
      return countWhere(sql, params, 'filter' in selection ? selection.filter : null)
    },
    /** Unconfirmed items, and those rejected since. The expressions are those of their indexes. */
    stuck(sinceMs: number): OutboxStuck {
      const found = rejectedSince.all(sinceMs)
      const [byService, here] = [0, 1].map((is) => found.find(({ isHere }) => isHere === is))
      return {
        unconfirmedSince: isoTime(unconfirmedSince.get() ?? null),
        rejected: byService?.count ?? 0,
        rejectedSince: isoTime(byService?.sinceMs ?? null),
        notSent: here?.count ?? 0,
        notSentSince: isoTime(here?.sinceMs ?? null),
      }
    },
    counts: (): Record<OutboxStatus, number> => ({ ...counted() }),
    effects: (limit: number): StoredItem[] =>
      all(`SELECT ${columns} FROM outbox WHERE effect = 1 ORDER BY id LIMIT ?`, limit),
    /** Contacts that got this id of the service and don't show it yet. */
    madeUnapplied: (serviceId: string) => madeUnapplied.all(serviceId),
    /** Marks the items as applied, unless they changed since. */
    applied: db.transaction((items: readonly StoredItem[]) => {
      for (const { id, state } of items) applied.run(id, state)
    }),
    ranMs: (): number =>
      db.prepare<[], number | null>('SELECT ran_ms FROM outbox_control').pluck().get() ?? 0,
    setRan: (nowMs: number): void => void db.prepare('UPDATE outbox_control SET ran_ms = ?').run(nowMs),
    paused: (): boolean => db.prepare('SELECT paused FROM outbox_control').pluck().get() === 1,
    setPaused: (paused: boolean): void =>
      void db.prepare('UPDATE outbox_control SET paused = ?').run(paused ? 1 : 0),
  }
}
