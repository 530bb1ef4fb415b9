import type { OutboxStatus } from '../../../contract/people/outbox.ts'
import type { SentMessage } from '../../../contract/people/sent.ts'
import { saidOf } from '../../../contract/phrases.ts'
import { placeholdersOf, renderTemplate } from '../../../contract/template-text.ts'
import type { Database } from '../../../database/open.ts'
import { isLately } from '../../../jobs/sends/lately.ts'
import { statusSql } from '../../../jobs/sends/outbox-filter.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { ColleagueSend, TeamSends } from './team-sends.ts'
import type { TemplatesRepository } from './templates.repository.ts'

interface SentRow {
  itemId: number
  batchId: string
  title: string
  messageId: string | null
  bodyJson: string
  servedText: string | null
  state: OutboxStatus
  serviceStatus: string | null
  queuedMs: number
  endedMs: number | null
}
const sentColumns = `id AS itemId, batch_id AS batchId, (SELECT title FROM outbox_batches b WHERE b.id = batch_id) AS title, service_id AS messageId, body_json AS bodyJson,
  json_extract(answer_json, '$.body') AS servedText, ${statusSql} AS state, service_status AS serviceStatus, queued_ms AS queuedMs, ended_ms AS endedMs`

const openStates = `'undoable', 'scheduled', 'queued', 'blocked', 'in-flight'`

export type SentMessages = ReturnType<typeof createSentMessages>

/** Messages sent with templates: from here, read from the outbox, and by colleagues. */
export function createSentMessages(
  db: Database,
  templates: Pick<TemplatesRepository, 'byServiceId'>,
  team: Pick<TeamSends, 'to' | 'as'>,
) {
  const to = db.prepare<
    { phone: string; templateId: string | null; sinceMs: number; limit: number },
    SentRow
  >(
    `SELECT ${sentColumns} FROM outbox WHERE operation = 'send-ott' AND phone = :phone AND state <> 'cancelled' AND ${isLately(':sinceMs')}
       AND (:templateId IS NULL OR state <> 'rejected' AND json_extract(body_json, '$.templateId') = :templateId)
     ORDER BY id DESC LIMIT :limit`,
  )
  const as = db.prepare<[string], SentRow>(
    `SELECT ${sentColumns} FROM outbox INDEXED BY outbox_sent_as WHERE operation = 'send-ott' AND service_id = ? ORDER BY id DESC LIMIT 1`,
  )
  /** Whether a batch has an item in one of the states, or one that was resent and now is. `of`: only some of these. */
  const has = (states: string, of = 'TRUE') =>
    db
      .prepare<[string], number>(
        `WITH RECURSIVE tries (id, state, problem_code) AS (
           SELECT id, state, problem_code FROM outbox WHERE batch_id = ? AND state IN ('cancelled', ${states})
           UNION ALL
           SELECT o.id, o.state, o.problem_code FROM tries CROSS JOIN outbox o INDEXED BY outbox_again_of ON o.again_of = tries.id
           WHERE tries.state = 'cancelled'
         )
         SELECT EXISTS (SELECT 1 FROM tries WHERE state IN (${states}) AND ${of})`,
      )
      .pluck()
  const hasOpen = has(openStates)
  const hasProblems = has(`'rejected', 'unknown'`, `problem_code IS NOT 'ON_DNC'`)
  const hasRejected = has(`'rejected'`)
  const hasMaybeSent = has(`'done', 'unknown'`)
  const lastTest = db
    .prepare<[], string>(
      `SELECT o.phone FROM outbox_batches b CROSS JOIN outbox o ON o.batch_id = b.id
       WHERE b.kind = 'test' AND o.phone <> '' ORDER BY b.created_ms DESC LIMIT 1`,
    )
    .pluck()

  function described(
    bodyJson: string,
    servedText: string | null,
  ): Pick<SentMessage, 'templateName' | 'text'> {
    const { templateId, variables, written } = JSON.parse(bodyJson) as {
      templateId: string
      variables: Record<string, string | number>
      written?: Record<string, string>
    }
    const template = templates.byServiceId(templateId)
    const body = template?.body ?? null
    const values = new Map(Object.entries({ ...variables, ...written }))
    const isWhole = body !== null && placeholdersOf(body).every((name) => values.has(name))
    return {
      templateName: template?.name.trim() || null,
      text: servedText ?? (isWhole ? renderTemplate(body, values) : null),
    }
  }

  const ofOwn = ({ bodyJson, servedText, title, queuedMs, endedMs, ...row }: SentRow): SentMessage => ({
    author: null,
    ...row,
    batchTitle: saidOf(title),
    ...described(bodyJson, servedText),
    queuedAt: isoTime(queuedMs),
    endedAt: isoTime(endedMs),
  })

  // Without the values, which are not shared.
  const ofColleague = ({ templateId, messageId, author, sentMs }: ColleagueSend): SentMessage => ({
    author,
    itemId: null,
    batchId: null,
    batchTitle: null,
    messageId,
    templateName: templates.byServiceId(templateId)?.name.trim() || null,
    text: templates.byServiceId(templateId)?.body ?? null,
    state: 'done',
    serviceStatus: null,
    queuedAt: isoTime(sentMs),
    endedAt: isoTime(sentMs),
  })

  return {
    /**
     * Messages to a number in E.164, newest first, without cancelled ones. Optionally since a time, and those of one template (service id)
     * that may have been received: no rejected ones.
     */
    to(phone: string, options: { limit: number; templateId?: string; sinceMs?: number }): SentMessage[] {
      const which = { templateId: null, sinceMs: 0, ...options }
      const own = to.all({ phone, ...which }).map(ofOwn)
      const others = team.to(Number(phone.slice(1)), which).map(ofColleague)
      if (others.length === 0) return own
      const timeOf = ({ endedAt, queuedAt }: SentMessage) => Date.parse(endedAt ?? queuedAt)
      return [...own, ...others].sort((a, b) => timeOf(b) - timeOf(a)).slice(0, options.limit)
    },
    /** The message of an ID of the service; null if neither this computer nor a colleague sent it. */
    as(messageId: string): SentMessage | null {
      const own = as.get(messageId)
      if (own) return ofOwn(own)
      const colleagues = team.as(messageId)
      return colleagues ? ofColleague(colleagues) : null
    },
    /** The number of the last test send; null without one. */
    testNumber: (): string | null => lastTest.get() ?? null,
    /**
     * State of a batch: items are left (`open`), all are done or `rejected`, or some were rejected by the service or are unconfirmed
     * (`in-part`). Recipients skipped for DNC count only if nothing was sent.
     */
    stateOf(batchId: string): 'open' | 'done' | 'in-part' | 'rejected' {
      if (hasOpen.get(batchId) === 1) return 'open'
      if (hasMaybeSent.get(batchId) === 1) return hasProblems.get(batchId) === 1 ? 'in-part' : 'done'
      return hasRejected.get(batchId) === 1 ? 'rejected' : 'done'
    },
  }
}
