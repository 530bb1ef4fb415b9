import type { MessageRelease, ReleaseState } from '../../../contract/views/messages.ts'
import type { AppError, ErrorData } from '../../../contract/errors.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { viewOfStored } from '../../platform/rpc/errors.ts'

/** Releases kept, besides unconfirmed ones. */
const keptMax = 20_000

interface Row {
  seq: number
  runId: string | null
  messageId: string
  state: ReleaseState
  statusAfter: string | null
  serviceText: string | null
  problemCode: string | null
  problemJson: string | null
  createdMs: number
  leftMs: number | null
  settledMs: number | null
}

export interface Settled {
  /** `failed` with ON_DNC is shown as `blocked`. */
  state: Exclude<ReleaseState, 'waiting' | 'in-flight' | 'blocked'>
  statusAfter?: string | null
  serviceText?: string | null
  problem?: AppError | null
}

export type ReleasesRepository = ReturnType<typeof createReleasesRepository>

const columns = `seq, run_id AS runId, message_id AS messageId, state, status_after AS statusAfter,
  service_text AS serviceText, problem_code AS problemCode, problem_json AS problemJson, created_ms AS createdMs,
  left_ms AS leftMs, settled_ms AS settledMs`

/** Requested releases, in `state.db`. Times in milliseconds since 1970. */
export function createReleasesRepository(db: Database) {
  const insert = db.prepare<[string | null, string, number]>(
    "INSERT INTO message_releases (run_id, message_id, state, created_ms) VALUES (?, ?, 'waiting', ?)",
  )
  const prune = db.prepare<[number]>(
    "DELETE FROM message_releases WHERE seq <= (SELECT max(seq) FROM message_releases) - ? AND state <> 'unknown'",
  )
  const leave = db.prepare<[number, number]>(
    "UPDATE message_releases SET state = 'in-flight', left_ms = ? WHERE seq = ?",
  )
  const back = db.prepare<[number]>(
    "UPDATE message_releases SET state = 'waiting', left_ms = NULL WHERE seq = ?",
  )
  const settle = db.prepare(
    `UPDATE message_releases SET state = @state, status_after = @statusAfter, service_text = @serviceText,
       problem_code = @problemCode, problem_json = @problemJson, settled_ms = @nowMs WHERE seq = @seq`,
  )
  const find = db.prepare<[number], Row>(`SELECT ${columns} FROM message_releases WHERE seq = ?`)
  const ofMessage = db.prepare<[string], Row>(
    `SELECT ${columns} FROM message_releases WHERE message_id = ? AND state <> 'waiting' ORDER BY seq`,
  )
  const ofRun = db.prepare<[string], Row>(
    `SELECT ${columns} FROM message_releases WHERE run_id = ? ORDER BY seq`,
  )

  return {
    /** Stores releases in this order and returns their numbers. */
    add: db.transaction((messageIds: readonly string[], runId: string | null, nowMs: number) => {
      const seqs = messageIds.map((id) => Number(insert.run(runId, id, nowMs).lastInsertRowid))
      prune.run(keptMax)
      return seqs
    }),
    /** Committed before the request leaves, so that a crash leaves it as unconfirmed. */
    leaves: (seq: number, nowMs: number): void => void leave.run(nowMs, seq),
    /** The service certainly did not act. */
    cameBack: (seq: number): void => void back.run(seq),
    settle(
      seq: number,
      { state, statusAfter = null, serviceText = null, problem = null }: Settled,
      nowMs: number,
    ): void {
      settle.run({
        seq,
        state,
        statusAfter,
        serviceText,
        problemCode: problem?.code ?? null,
        problemJson: problem ? JSON.stringify(problem.data) : null,
        nowMs,
      })
    },
    get: (seq: number): MessageRelease => toRelease(find.get(seq)!),
    /** Releases of one message, oldest first, without waiting ones. */
    ofMessage: (messageId: string): MessageRelease[] => ofMessage.all(messageId).map(toRelease),
    ofRun(runId: string): { startedMs: number; releases: MessageRelease[] } | null {
      const rows = ofRun.all(runId)
      return rows[0] ? { startedMs: rows[0].createdMs, releases: rows.map(toRelease) } : null
    },
    newestRun: (): string | null =>
      db
        .prepare<[], string>(
          'SELECT run_id FROM message_releases WHERE run_id IS NOT NULL ORDER BY seq DESC LIMIT 1',
        )
        .pluck()
        .get() ?? null,
    /** Called at the start: releases that were in flight become unconfirmed. */
    settleInterrupted: (nowMs: number): number =>
      db
        .prepare<[number]>(
          `UPDATE message_releases SET state = 'unknown', problem_code = 'CRASHED_IN_FLIGHT', problem_json = '{}', settled_ms = ?
           WHERE state = 'in-flight'`,
        )
        .run(nowMs).changes,
  }
}

function toRelease(row: Row): MessageRelease {
  return {
    seq: row.seq,
    messageId: row.messageId,
    state: row.state === 'failed' && row.problemCode === 'ON_DNC' ? 'blocked' : row.state,
    statusAfter: row.statusAfter,
    serviceText: row.serviceText,
    problem:
      row.problemCode === null
        ? null
        : viewOfStored({ code: row.problemCode, data: JSON.parse(row.problemJson ?? '{}') as ErrorData }),
    at: isoTime(row.leftMs ?? row.settledMs),
  }
}
