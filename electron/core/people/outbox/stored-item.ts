import {
  type InboundProblem,
  inboundProblemSchema,
  type OutboxAnswer,
  type OutboxItem,
  type OutboxOperation,
  type OutboxState,
} from '../../../contract/people/outbox.ts'
import type { ErrorCode, ErrorData } from '../../../contract/errors.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { LocalHours } from '../../../lib/local-hours.ts'
import { viewOfStored } from '../../platform/rpc/errors.ts'

/** An item as stored. `body` is what the operation sends. */
export interface StoredItem {
  id: number
  batchId: string
  operation: OutboxOperation
  state: OutboxState
  name: string
  phone: string
  /** What else the text of the number may mean, as E.164 digits. They must not be blocked either. */
  others: readonly number[]
  contactId: number | null
  /** For the deletion of an old record: the contact that stays. */
  oldOf: number | null
  /** The item that this one resends. */
  againOf: number | null
  serviceId: string | null
  /** The service's status for what it created. */
  serviceStatus: string | null
  answer: OutboxAnswer | null
  body: unknown
  afterId: number | null
  attempts: number
  problem: { code: ErrorCode; data: ErrorData } | null
  queuedMs: number
  sentMs: number | null
  endedMs: number | null
  resolution: OutboxItem['resolution']
  /** It may leave only within these hours of its number's country. */
  hours: LocalHours | null
  /** When they begin; null when it doesn't wait for them. */
  notBeforeMs: number | null
  /** It leaves although the DNC copy proves nothing, as the operator chose. */
  unchecked: boolean
  /** Until then it leaves, too, because the service called its number clear. */
  clearUntilMs: number
  /** Who asked the service, as `CredentialSource.identity`: another API key may be another tenant's. */
  clearBy: string | null
  /** Problems with inbound messages despite which it leaves, as the operator chose: bits of `bitsOf`. */
  withoutInbound: number
}

const { options } = inboundProblemSchema

/** A bit for each of these problems. */
export const bitsOf = (problems: readonly InboundProblem[]): number =>
  problems.reduce((bits, problem) => bits | (1 << options.indexOf(problem)), 0)

const allValues = Array.from({ length: 1 << options.length }, (_, bits) => bits)

/**
 * For each problem, all values of `withoutInbound` that lack it, as JSON. Found by index: a bit test reads a million queued messages, 205 ms
 * instead of 2.
 */
export const valuesWithout = Object.fromEntries(
  options.map((problem) => {
    const bit = bitsOf([problem])
    return [problem, JSON.stringify(allValues.filter((bits) => (bits & bit) === 0))]
  }),
) as Record<InboundProblem, string>

export type NewItem = Pick<
  StoredItem,
  'operation' | 'name' | 'phone' | 'contactId' | 'serviceId' | 'body' | 'afterId'
> & {
  others?: readonly number[]
  hours?: LocalHours | null
  oldOf?: number | null
  /** For a test send: the number whose values its body has. */
  valuesOf?: string | null
  againOf?: number | null
  unchecked?: boolean
  clearUntilMs?: number
  clearBy?: string | null
}

/** The deletion of a contact's old record. */
export type OldRecord = Pick<StoredItem, 'state' | 'serviceId'>

export interface StoredRow extends Omit<
  StoredItem,
  'body' | 'problem' | 'answer' | 'others' | 'hours' | 'unchecked'
> {
  unchecked: 0 | 1
  hoursJson: string | null
  othersJson: string
  bodyJson: string
  answerJson: string | null
  problemCode: string | null
  problemJson: string | null
}

export const itemColumns = `id, batch_id AS batchId, operation, state, name, phone, others_json AS othersJson, contact_id AS contactId, old_of AS oldOf, again_of AS againOf, service_id AS serviceId,
  service_status AS serviceStatus, answer_json AS answerJson, body_json AS bodyJson, after_id AS afterId, attempts, problem_code AS problemCode, problem_json AS problemJson,
  queued_ms AS queuedMs, sent_ms AS sentMs, ended_ms AS endedMs, resolution, hours_json AS hoursJson, not_before_ms AS notBeforeMs, unchecked, clear_until_ms AS clearUntilMs, clear_by AS clearBy, without_inbound AS withoutInbound`

export function toItem(item: StoredItem): OutboxItem {
  return {
    id: item.id,
    batchId: item.batchId,
    operation: item.operation,
    state: item.state,
    name: item.name,
    phone: item.phone,
    contactId: item.contactId,
    serviceId: item.serviceId,
    serviceStatus: item.serviceStatus,
    answer: item.answer,
    attempts: item.attempts,
    problem: viewOfStored(item.problem),
    queuedAt: isoTime(item.queuedMs)!,
    notBefore: isoTime(item.notBeforeMs),
    sentAt: isoTime(item.sentMs),
    endedAt: isoTime(item.endedMs),
    resolution: item.resolution,
  }
}

export function toStored({
  othersJson,
  hoursJson,
  bodyJson,
  answerJson,
  problemCode,
  problemJson,
  ...row
}: StoredRow): StoredItem {
  return {
    ...row,
    unchecked: row.unchecked === 1,
    hours: hoursJson === null ? null : (JSON.parse(hoursJson) as LocalHours),
    others: JSON.parse(othersJson) as number[],
    body: JSON.parse(bodyJson) as unknown,
    answer: answerJson === null ? null : (JSON.parse(answerJson) as OutboxAnswer),
    problem:
      problemCode === null
        ? null
        : { code: problemCode as ErrorCode, data: JSON.parse(problemJson ?? '{}') as ErrorData },
  }
}
