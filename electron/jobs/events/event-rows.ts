import { saidOf, textIn } from '../../contract/phrases.ts'
import type { Language } from '../../contract/texts.ts'
import { isoTime } from '../../lib/iso-time.ts'

export interface EventRow {
  seq: number
  /** The delivery its fields come from. */
  sourceSeq: number
  receivedMs: number
  kind: string
  status: string | null
  errorCode: number | null
  messageId: string | null
  number: string | null
  ownNumber: string | null
  content: string | null
  serviceTime: string | null
  copies: number
  verdict: string
  optOut: string | null
  reason: string | null
}

export const eventColumns = `seq, source_seq AS sourceSeq, received_ms AS receivedMs, kind, status, error_code AS errorCode,
  message_id AS messageId, number, own_number AS ownNumber, content, service_time AS serviceTime, copies, verdict,
  opt_out AS optOut, quarantine_reason AS reason`

/** An event in a file, in column order, with its reason in a language. */
export const toRecord = (row: EventRow, language: Language) => ({
  seq: row.seq,
  received_at: isoTime(row.receivedMs),
  kind: row.kind,
  status: row.status,
  error_code: row.errorCode,
  message_id: row.messageId,
  number: row.number,
  own_number: row.ownNumber,
  content: row.content,
  service_time: row.serviceTime,
  copies: row.copies,
  verdict: row.verdict,
  opt_out: row.optOut === 'keyword',
  quarantine_reason: row.reason && textIn(language, saidOf(row.reason)),
})
