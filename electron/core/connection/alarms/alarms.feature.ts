import type { Silence } from '../../../contract/live/listener.ts'
import type { Subscription } from '../../../contract/live/webhooks.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { EventsFeature } from '../../live/events/events.feature.ts'
import type { ListenerService } from '../../live/listener/listener.service.ts'
import type { WebhooksService } from '../../live/webhooks/webhooks.service.ts'
import type { OutboxSends } from '../../people/outbox/outbox.feature.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import type { CampaignsService } from '../../views/campaigns/campaigns.service.ts'
import type { OperatorNotes } from '../operator-notes.ts'
import { type Arrived, createMissedRule, type MissedLook } from './missed.ts'
import { createOutageRule } from './outage.ts'
import { createSentCounts } from './sent-counts.ts'
import { createSilenceRule, type Finding } from './silence.ts'
import type { ServiceParts } from '../../service/parts.ts'

const lookEveryMs = 10_000
/** The subscriptions are first read after this time: the start has other work. */
const firstListMs = 20_000
/** Events not projected yet, at most, for silence to be judged. */
const behindMax = 500

/** Looks for what an operator must know although no page is open: silence, an outage, an expired session, a missed start. Notifies once of each. */
export function createAlarmsFeature(
  parts: ServiceParts & {
    connection: () => { id: string }
    listener: Pick<ListenerService, 'status' | 'listening' | 'setSilence'> & { journalSeq: () => number }
    events: Pick<EventsFeature, 'repository' | 'projector' | 'missed'>
    webhooks: Pick<WebhooksService, 'list' | 'leading'>
    campaigns: Pick<CampaignsService, 'lastReading'>
    outbox: { sends: () => OutboxSends; missedStarts: () => number }
    notes: Pick<OperatorNotes, 'alarm'>
    signInProblem: () => AppError | null
  },
) {
  const { credentials, network, listener, events, webhooks, notes, clock, log } = parts
  const rule = createSilenceRule()
  const isOutage = createOutageRule()
  const missedRule = createMissedRule(clock.now())
  const sentCounts = createSentCounts(parts)
  const startedMs = clock.monotonic()
  let listTriedMs = -Infinity
  let isAsking = false
  let subscribedMs: number | null = null
  let missedStarts = 0
  let stop = () => {}

  function isReceiving(): boolean {
    const { relay } = listener.status()
    const { watermark } = events.projector.state()
    return (
      listener.listening() === 'yes' &&
      (relay === null || (relay.state === 'connected' && relay.behind === 0)) &&
      listener.journalSeq() - watermark < behindMax
    )
  }

  function silenceOf(finding: Finding, since: string | null, leading: readonly Subscription[]): Silence {
    if (finding.kind === 'no-subscription') return { ...finding, since, sent: 0, subscriptionId: null }
    const subscriptionId = leading.find(isWithReports)?.id ?? null
    return { kind: finding.kind, since, sent: finding.sent, subscriptionId }
  }

  const isWithReports = ({ families }: Subscription) => families.length === 0 || families.includes('dlr')

  /** The newest event before a journal number, or the one of that number. */
  function arrived(seq: number | undefined): Arrived | null {
    const found = seq ? events.repository.find(seq) : null
    return found && { seq: found.event.seq, atMs: Date.parse(found.event.receivedAt) }
  }

  /** Records the time in which events are missed. Returns since when they are. */
  function noteMissed(
    given: Omit<MissedLook, 'nowMs' | 'subscribedMs' | 'answeredMs' | 'firstAfter'>,
  ): string {
    const changed = missedRule({
      ...given,
      nowMs: clock.now(),
      subscribedMs,
      answeredMs: network.answeredMs(),
      firstAfter: events.repository.firstAfter,
    })
    try {
      if (changed) events.missed.note(changed)
    } catch (error) {
      // The alarm itself still shows.
      log.warn('Could not record a time without events', { error })
    }
    return isoTime(changed?.lasts ? changed.fromMs : clock.now())
  }

  function tell(silent: Silence | null): void {
    listener.setSilence(silent)
    const isNews = silent !== null && silent.since !== null
    notes.alarm(
      'silence',
      isNews
        ? {
            text: silent.kind === 'no-subscription' ? 'noSubscription' : 'noReports',
            values: { sent: silent.sent },
            link: { path: pathOf(silent) },
          }
        : null,
    )
  }

  function tellService(isOut: boolean): void {
    const { reachable, problem } = network.state()
    if (isOut || reachable !== false)
      notes.alarm('outage', isOut ? { text: 'outage', problem, link: { path: '/overview' } } : null)
    const { status, problem: code } = credentials.state()
    const unread = parts.signInProblem()
    const lost = isAppError(unread, 'SIGN_IN_LOST') ? unread : null
    const ended = status === 'expired' && code !== null ? new AppError(code) : lost
    const path = `/connect?id=${encodeURIComponent(parts.connection().id)}`
    notes.alarm(
      'session-expired',
      ended && { text: 'sessionExpired', problem: viewOf(ended), link: { path } },
    )
  }

  /** Notifies again when another start is missed. */
  function tellMissedStarts(): void {
    const count = parts.outbox.missedStarts()
    if (count > missedStarts) notes.alarm('start-missed', null)
    missedStarts = count
    notes.alarm('start-missed', count > 0 ? { text: 'startMissed', link: { path: '/outbox' } } : null)
  }

  /** Requests of the look. A slow answer doesn't delay the next look, and a failure leaves what is known. */
  async function ask(atMs: number, result: ReturnType<typeof rule>): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      const listMs = Math.max(webhooks.leading()?.askedMs ?? -Infinity, listTriedMs)
      if (atMs - startedMs >= firstListMs && atMs - listMs >= result.listAgeMs) {
        listTriedMs = atMs
        await webhooks.list({ background: true })
      }
      await sentCounts.ask(atMs, result)
    } catch (error) {
      if (!isAppError(error)) log.error('Could not read what silence is judged by', { error })
    } finally {
      isAsking = false
    }
  }

  function look(): void {
    const atMs = clock.monotonic()
    const isOut = isOutage(atMs, network.failures())
    tellService(isOut)
    tellMissedStarts()
    const receiving = isReceiving()
    const known = webhooks.leading()
    const leading = known?.subscriptions ?? []
    if (known && leading.length > 0) subscribedMs = clock.now() - (atMs - known.askedMs)
    const lastReport = events.repository.lastReport(clock.now())
    const result = rule({
      atMs,
      receiving,
      lastReport,
      lastDelivery: listener.journalSeq(),
      reportsDue: leading.some(isWithReports) || (known === null && lastReport > 0),
      leading: known && { count: leading.length, atMs: known.askedMs },
      sent: sentCounts.at(atMs),
    })
    const { finding } = result
    const event = arrived(events.repository.seqBounds(null, null)?.lastSeq)
    // Without any event before, nothing was missed: a new connection has no subscription yet.
    const isNews = finding !== null && (finding.kind === 'no-reports' || event !== null)
    const silence = isNews ? finding.kind : null
    const sentSinceMs = finding?.kind === 'no-reports' ? clock.now() - (atMs - finding.sinceMs) : null
    const report = arrived(lastReport)
    const since = noteMissed({ atMs, receiving, silence, sentSinceMs, isOut, event, report })
    if (finding) tell(silenceOf(finding, isNews ? since : null, leading))
    else tell(result.isUnconfirmed ? unconfirmed : null)
    const canAsk = credentials.state().status === 'signed-in' && network.state().reachable !== false
    if (receiving && canAsk) void ask(atMs, result)
  }

  return {
    service: {},
    start() {
      stop = clock.every(lookEveryMs, () => {
        try {
          look()
        } catch (error) {
          // A database that fails says so itself.
          log.warn('Could not look for silence', { error })
        }
      })
    },
    stop: () => stop(),
  }
}

const unconfirmed: Silence = { kind: 'unconfirmed', since: null, sent: 0, subscriptionId: null }

/** The page that helps. */
const pathOf = ({ kind, subscriptionId }: Silence) =>
  kind === 'no-reports' && subscriptionId !== null
    ? `/webhooks?test=${encodeURIComponent(subscriptionId)}`
    : '/webhooks?subscribe=1'
