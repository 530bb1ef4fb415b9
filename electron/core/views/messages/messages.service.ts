import type { OutputOf } from '../../../contract/define.ts'
import type { Campaign, Message } from '../../../contract/domain.ts'
import { isAppError } from '../../../contract/errors.ts'
import type {
  CampaignOf,
  MessageDetail,
  ReportedHere,
  Contradiction,
  messagesContract,
} from '../../../contract/views/messages.ts'
import { createLiveOrLast, type LiveOrLast } from '../../platform/answers/live-or-last.ts'
import type { EventsService } from '../../live/events/events.service.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import { createLookupsRepository } from './lookups.repository.ts'
import { createReleases, type ReleaseDnc } from './releases.ts'
import { createReleasesRepository } from './releases.repository.ts'
import { digitsToFind } from '../../../lib/phone/number-digits.ts'
import type { EventRow } from '../../../contract/live/events.ts'
import { isFinal, rankOf } from '../../live/events/message-status.ts'
import type { ServiceParts } from '../../service/parts.ts'

/** Reports have no status `rejected`: the service's report statuses end with `failed`. */
const asReported = (status: string) => (status === 'rejected' ? 'failed' : status)

/** The same for a number with and without its country code. */
const endOf = (number: string) => digitsToFind(number).slice(-7)

/**
 * Where the service's record of a message and its reports disagree. A record that is further along is no
 * contradiction, since reports may be missing. `asOfMs`: when the record was read, since 1970.
 */
export function contradictionsOf(
  record: Pick<Message, 'status' | 'to'>,
  asOfMs: number,
  events: readonly EventRow[],
): Contradiction[] {
  const reports = events.filter(
    (event): event is EventRow & { status: string } => event.kind === 'dlr' && event.status !== null,
  )
  const isNewer = (event: EventRow) => Date.parse(event.receivedAt) > asOfMs
  const found: Contradiction[] = []
  const furthest = reports.reduce<(EventRow & { status: string }) | null>(
    (best, event) => (best === null || rankOf(event.status) > rankOf(best.status) ? event : best),
    null,
  )
  if (furthest && record.status !== null) {
    const recordRank = rankOf(record.status)
    const reportRank = rankOf(furthest.status)
    const bothEnded = isFinal(recordRank) && isFinal(reportRank)
    const kind =
      bothEnded && asReported(record.status) !== asReported(furthest.status)
        ? 'differs'
        : !bothEnded && reportRank > recordRank
          ? 'ahead'
          : null
    if (kind)
      found.push({
        kind,
        recordSays: record.status,
        eventSays: furthest.status,
        eventSeq: furthest.seq,
        isNewer: isNewer(furthest),
      })
  }
  const { to } = record
  const elsewhere = reports.find(
    ({ number }) => to !== null && number !== null && endOf(number) !== endOf(to),
  )
  if (to !== null && elsewhere)
    found.push({
      kind: 'number',
      recordSays: to,
      eventSays: elsewhere.number!,
      eventSeq: elsewhere.seq,
      isNewer: isNewer(elsewhere),
    })
  return found
}

/** The answers that a local report contradicts, with its status and arrival. Any report contradicts an answer without a status. */
function reportedHere(
  events: Pick<EventsService, 'ofMessage' | 'messageStatus'>,
  answers: readonly { id: string; status: string | null }[],
): ReportedHere[] {
  return answers.flatMap(({ id, status }) => {
    const furthest = events.messageStatus(id)
    if (furthest === null || furthest === status) return []
    const known = events.ofMessage(id).events.map(({ event }) => event)
    const [otherwise] = contradictionsOf({ status, to: null }, 0, known)
    const report =
      status === null
        ? known.find((event) => event.kind === 'dlr' && event.status === furthest)
        : known.find(({ seq }) => seq === otherwise?.eventSeq)
    return report?.status ? [{ id, status: report.status, at: report.receivedAt }] : []
  })
}

export type MessagesService = ReturnType<typeof createMessagesService>

/** Looks up, lists and releases messages. */
export function createMessagesService(
  parts: Pick<ServiceParts, 'stateDb' | 'client' | 'connection' | 'tasks' | 'clock' | 'log'> & {
    answers: { liveOrLast: LiveOrLast }
    dnc: ReleaseDnc
    events: Pick<EventsService, 'ofMessage' | 'messageStatus'>
    /** A campaign as last read; null if unknown. */
    campaigns: { known: (id: string) => Campaign | null }
  },
) {
  const { client, events, campaigns, clock } = parts
  const { liveOrLast } = parts.answers
  const lookups = createLookupsRepository(parts.stateDb)
  const releasesRepository = createReleasesRepository(parts.stateDb)
  const recordOrLast = createLiveOrLast(lookups.records, clock, parts.log)

  /** The service's part of the answer. */
  async function ask(
    id: string,
    lane: 'operator' | 'live',
  ): Promise<Pick<MessageDetail, 'outcome' | 'record' | 'freshness' | 'problem'>> {
    try {
      const { value, freshness } = await recordOrLast(id, () => client.messages.get(id, { lane }))
      const { source, error: problem } = freshness
      const outcome =
        source === 'live'
          ? ('found' as const)
          : problem?.code === 'SERVICE_NOT_FOUND'
            ? ('not-found' as const)
            : ('last-known' as const)
      return { outcome, record: value, freshness, problem }
    } catch (error) {
      if (!isAppError(error)) throw error
      const outcome = error.code === 'SERVICE_NOT_FOUND' ? 'not-found' : 'failed'
      return { outcome, record: null, freshness: null, problem: viewOf(error) }
    }
  }

  function campaignOf(batchId: string | null): CampaignOf | null {
    const campaign = batchId === null ? null : campaigns.known(batchId)
    return campaign && { id: campaign.id, status: campaign.status }
  }

  return {
    async list(query: { page: number; perPage: number }): Promise<OutputOf<typeof messagesContract, 'list'>> {
      const { value, freshness } = await liveOrLast(
        `messages?page=${query.page}&per_page=${query.perPage}`,
        () => client.messages.list(query, { lane: 'live' }),
      )
      const batches = new Set(value.items.map(({ batchId }) => batchId))
      return { ...value, campaigns: [...batches].flatMap((id) => campaignOf(id) ?? []), freshness }
    },
    /** Everything known about an id; also stores the look-up. The service's errors are part of the answer. */
    async get({ id, several }: { id: string; several: boolean }): Promise<MessageDetail> {
      lookups.remember(id, clock.now())
      const answer = await ask(id, several ? 'live' : 'operator')
      const known = events.ofMessage(id)
      return {
        id,
        ...answer,
        events: known.events,
        eventStatus: known.status,
        campaign: campaignOf(answer.record?.batchId ?? null),
        contradictions:
          answer.record && answer.freshness
            ? contradictionsOf(
                answer.record,
                Date.parse(answer.freshness.asOf),
                known.events.map(({ event }) => event),
              )
            : [],
        releases: releasesRepository.ofMessage(id),
      }
    },
    reportedHere: ({ answers }: { answers: readonly { id: string; status: string | null }[] }) => ({
      reports: reportedHere(events, answers),
    }),
    ...createReleases({
      repository: releasesRepository,
      client,
      tasks: parts.tasks,
      connection: parts.connection,
      dnc: parts.dnc,
      onRecord: (record) => lookups.records.put(record.id, JSON.stringify(record), clock.now()),
      clock,
    }),
  }
}
