import type { EventsFeature } from '../../live/events/events.feature.ts'
import type { OutboxSends } from '../../people/outbox/outbox.feature.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { CampaignsService } from '../../views/campaigns/campaigns.service.ts'
import type { SentCount } from './silence.ts'

const minuteMs = 60_000
/** When no other count shows that messages are sent, the dashboard's count is read after this time, this often, and for this long. */
const dashboard = { afterMs: 5 * minuteMs, everyMs: 2 * minuteMs, untilMs: 6 * 60 * minuteMs }

/**
 * Counts of messages that the service sent. Those of template messages, and the dashboard's, which includes them, count only once a
 * report of a template message from here came: the spec doesn't say that any do.
 */
export function createSentCounts(parts: {
  client: { dashboard: Pick<ServiceClient['dashboard'], 'get'> }
  campaigns: Pick<CampaignsService, 'lastReading'>
  outbox: { sends: () => OutboxSends }
  events: { repository: Pick<EventsFeature['repository'], 'messageStatus'> }
}) {
  const byCampaign = { of: new Map<string, number>(), total: 0, readMs: -1, atMs: -Infinity }
  let onDashboard: SentCount | null = null
  let nextDashboardMs = -Infinity
  let areReported = false

  /** What all running campaigns sent between readings. One that is read for the first time adds nothing. */
  function campaignsSent(atMs: number): SentCount {
    const known = byCampaign
    const reading = parts.campaigns.lastReading()
    if (reading && reading.atMs !== known.readMs) {
      const counts = reading.items.flatMap(({ id, sentCount }) =>
        sentCount === null ? [] : [[id, sentCount] as const],
      )
      for (const [id, sent] of counts) known.total += Math.max(0, sent - (known.of.get(id) ?? sent))
      Object.assign(known, { of: new Map(counts), readMs: reading.atMs, atMs })
    }
    return { source: 'campaigns', count: known.total, atMs: known.atMs }
  }

  return {
    at(atMs: number): SentCount[] {
      const { total, newestIds } = parts.outbox.sends()
      areReported ||= newestIds.some((id) => parts.events.repository.messageStatus(id) !== null)
      const own: SentCount = { source: 'own', count: total, atMs }
      return [campaignsSent(atMs), ...(areReported ? [own] : []), ...(onDashboard ? [onDashboard] : [])]
    },
    /** Reads the dashboard's count when one is needed. `isDue`: messages were sent whose reports have not come. */
    async ask(atMs: number, { isDue, quietMs }: { isDue: boolean; quietMs: number }): Promise<void> {
      const isProven = isDue && onDashboard === null
      if (!areReported || isProven || quietMs < dashboard.afterMs || quietMs > dashboard.untilMs)
        onDashboard = null
      else if (atMs >= nextDashboardMs) {
        nextDashboardMs = atMs + dashboard.everyMs
        const { messagesToday } = await parts.client.dashboard.get({ lane: 'live' })
        onDashboard = messagesToday === null ? null : { source: 'dashboard', count: messagesToday, atMs }
      }
    },
  }
}
