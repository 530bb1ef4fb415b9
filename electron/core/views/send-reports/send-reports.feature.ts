import type { InputOf } from '../../../contract/define.ts'
import type { Said } from '../../../contract/phrases.ts'
import { sendReportsContract } from '../../../contract/views/send-reports.ts'
import { addTextFunctions } from '../../../database/text-functions.ts'
import { retryableReader } from '../../../jobs/sends/send-reports.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { checkFresh, copyProblem } from '../../people/dnc/dnc-list.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import type { OutboxService } from '../../people/outbox/outbox.service.ts'
import type { StoredItem } from '../../people/outbox/stored-item.ts'
import type { OttSendsService } from '../../people/templates/ott-sends.service.ts'
import { checkConfirmed } from '../../platform/confirm.ts'
import { runJob } from '../../platform/tasks/job-runner.ts'
import type { PlatformParts } from '../../platform/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const sendReportsHandlers = handlersOf(
  sendReportsContract,
  ({ sendReports }: { sendReports: SendReports }) => sendReports,
)

/** Blocked requests told with their reasons. */
const blockedShown = 5

type SendReports = ReturnType<typeof createSendReportsFeature>['service']

/** Delivery results of a bulk send: delivery reports, by the message ID the service gave when it accepted. */
export function createSendReportsFeature(
  parts: PlatformParts & {
    outbox: OutboxService
    dnc: DncService
    templates: { sends: Pick<OttSendsService, 'sendOf'> }
  },
) {
  const { stateDb, jobFiles, outbox, dnc, clock } = parts
  addTextFunctions(stateDb)
  const isRetryable = retryableReader(stateDb)
  const prices = stateDb.prepare<
    { sendId: string },
    { lowest: number | null; highest: number | null; count: number }
  >(
    `SELECT min(price) AS lowest, max(price) AS highest, count(*) AS count FROM (
       SELECT 1.0 * json_extract(l.record_json, '$.sellPrice') / max(1, coalesce(json_extract(l.record_json, '$.partCount'), 1)) AS price,
         s.template_id, s.channel_id, o.body_json
       FROM ott_sends s CROSS JOIN message_lookups l CROSS JOIN outbox o INDEXED BY outbox_sent_to
         ON o.operation = 'send-ott' AND o.phone = json_extract(l.record_json, '$.to') AND o.service_id = l.message_id
       WHERE s.id = :sendId)
     WHERE price > 0 AND json_extract(body_json, '$.templateId') = template_id
       AND json_extract(body_json, '$.channelId') = channel_id`,
  )
  const sendOf = (id: string) => parts.templates.sends.sendOf({ id }).send

  async function read(batchId: string | null, signal?: AbortSignal) {
    if (batchId === null) return { counts: [], retryable: [], retried: 0 }
    return runJob({ ...jobFiles, job: 'ott-reports', batchId }, { signal })
  }

  const service = {
    async get({ id }: { id: string }, signal: AbortSignal) {
      const asOf = isoTime(clock.now())
      const { retryable, ...found } = await read(sendOf(id).batchId, signal)
      return { ...found, retryable: retryable.length, asOf }
    },
    async retryFailed({
      id,
      uncheckedKnowingly,
      confirmName,
    }: InputOf<typeof sendReportsContract, 'retryFailed'>) {
      const { batchId, templateName } = sendOf(id)
      checkConfirmed(parts.connection(), confirmName)
      checkFresh(dnc.listState(), uncheckedKnowingly)
      const { retryable } = await read(batchId)
      let blocked = 0
      const queued = await outbox.sendAgain(
        retryable,
        { key: 'batch.retryFailed', template: templateName },
        uncheckedKnowingly && copyProblem(dnc.listState()) !== null,
        (item) => {
          // Judged again in the transaction that queues it, so that two calls queue it once.
          if (!isRetryable(item.id)) return false
          const may = dnc.blockedBecause(Number(item.phone.slice(1)), item.others) === null
          if (!may) blocked++
          return may
        },
      )
      return { queued, blocked }
    },
    async resendCheck(
      { selection, reportsOnly }: InputOf<typeof sendReportsContract, 'resendCheck'>,
      signal: AbortSignal,
    ) {
      const { items, more } = await outbox.unconfirmed(selection)
      const about = ({ id, phone }: StoredItem) => ({ id, phone })
      const checked = items.map(({ id, operation, phone, others, sentMs }) => ({
        id,
        operation,
        phone,
        others,
        sentMs,
      }))
      const found = await runJob(
        { ...jobFiles, job: 'resend-check', items: checked, reportsOnly },
        { signal },
      )
      const reports = new Map(found.reports.map((report) => [report.itemId, report]))
      const blockedIds = new Set(found.blockedIds)
      const shownIds = new Set(found.blockedIds.slice(0, blockedShown))
      return {
        reports: items.flatMap((item) => {
          const report = reports.get(item.id)
          if (!report) return []
          const { messageId, status, receivedMs } = report
          const blocked = blockedIds.has(item.id)
          return [{ ...about(item), messageId, status, receivedAt: isoTime(receivedMs), blocked }]
        }),
        blocked: items.flatMap((item) => {
          const problem = shownIds.has(item.id)
            ? dnc.blockedBecause(Number(item.phone.slice(1)), item.others)
            : null
          return problem ? [{ ...about(item), reason: problem.data['reason'] as Said }] : []
        }),
        blockedCount: found.blockedIds.length,
        more,
      }
    },
    async toSkip({ batchId }: { batchId: string }, signal: AbortSignal) {
      return { count: await runJob({ ...jobFiles, job: 'to-skip', batchId }, { signal }) }
    },
    prices({ id }: { id: string }) {
      const { lowest, highest, count } = prices.get({ sendId: id })!
      return { prices: lowest === null || highest === null ? null : { lowest, highest, count } }
    },
  }
  return { service }
}
