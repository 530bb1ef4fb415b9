import type { ConnectionActivity } from '#contract/connection/connections.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import { formatCount, formatOpenCount, formatShare } from '../../shared/format/numbers.ts'
import { formatAge, formatTime } from '../../shared/format/time.ts'
import { listenerProblemText, ownListenerLook } from '../../shared/status/listener-look.ts'
import { isRelayOnly, relayAdvice, relayLook } from '../../shared/status/relay-look.ts'
import { isRelayLost, isSilent } from '../../shared/connections/use-connection-activity.ts'
import { t } from './connections.texts.ts'

/** Columns with one figure or short text, the most urgent first. */
export const figures = ['events', 'unread', 'outbox', 'requests', 'failed', 'campaigns'] as const
type Figure = (typeof figures)[number]

const columns = ['connection', 'status', ...figures, 'halfHour', 'dnc', 'background'] as const
type Column = (typeof columns)[number]

/** The narrowest table, pixels, with room for a column and its longest texts in any language. Opening the connection shows the others. */
const leastPx: Partial<Record<Column, number>> = {
  unread: 745,
  outbox: 745,
  requests: 850,
  dnc: 960,
  failed: 1010,
  campaigns: 1100,
  halfHour: 1180,
}

export const fittingColumns = (widthPx: number): Column[] =>
  columns.filter((column) => widthPx > (leastPx[column] ?? 0))

export const isFigure = (column: Column): column is Figure => figures.some((one) => one === column)

/** One sentence for each thing that needs attention. */
export const attentionOf = (one: ConnectionActivity, nowMs: number): string[] => [
  ...(one.problem ? [listenerProblemText(one.problem)] : []),
  ...(isRelayLost(one) ? [relayAdvice(one.listener.relay!, nowMs)] : []),
  ...(isSilent(one)
    ? [t(one.listener.silence!.kind === 'no-reports' ? 'no-reports' : 'no-subscription')]
    : []),
  ...(one.listener.refusedLastMinute > 0 ? [t('rejected', { n: one.listener.refusedLastMinute })] : []),
  ...(one.openGap && !isSilent(one) ? [t('gap', { time: formatTime(one.openGap.from, 'minute') })] : []),
  ...(one.alerts > 0 ? [t('alerts', { n: one.alerts })] : []),
]

const hasRelayOnly = ({ listener }: ConnectionActivity) => isRelayOnly({ ...listener, problem: null })

/** The states of the listener, the relay or both, while the connection is open. */
export function receiverLooks(one: ConnectionActivity): StatusLook[] {
  if (one.state !== 'live') return []
  const { relay, silence } = one.listener
  // Its problem stands beside the connection.
  const own = ownListenerLook({ ...one.listener, problem: null })
  if (silence) return [own]
  return [...(hasRelayOnly(one) ? [] : [own]), ...(relay ? [relayLook(relay)] : [])]
}

/** Where the service delivers; null while unknown. */
export const addressOf = ({ listener }: ConnectionActivity): string | null =>
  listener.relay?.webhookUrl ?? listener.url

export function pathOf(one: ConnectionActivity): string | null {
  const atRelay = one.listener.relay?.webhookUrl
  if (atRelay) return new URL(atRelay).pathname
  return hasRelayOnly(one) ? null : one.listener.path
}

/** A dash while the connection is not open. */
export function figureOf(column: Figure, one: ConnectionActivity): string {
  const { eventsPerMinute, unreadConversations, queuedRequests, rateLimit, lastHalfHour } = one
  if (one.state !== 'live') return '–'
  if (column === 'events') return formatCount(eventsPerMinute)
  if (column === 'unread') return formatCount(unreadConversations)
  if (column === 'outbox') return formatCount(queuedRequests)
  if (column === 'failed') return lastHalfHour ? formatShare(lastHalfHour.failed, lastHalfHour.sent) : '–'
  if (column === 'campaigns')
    return one.runningCampaigns === null ? '–' : t('running', { n: formatOpenCount(one.runningCampaigns) })
  return rateLimit ? t('requests', { left: rateLimit.remaining, limit: rateLimit.limitPerMinute }) : '–'
}

/** The age of the offline DNC copy. */
export function dncLook(
  { state, asOf }: NonNullable<ConnectionActivity['dncList']>,
  nowMs: number,
): StatusLook {
  const age = state === 'never' || !asOf ? t('dnc.never') : formatAge(asOf, nowMs)
  const label = state === 'team-stale' ? t('dnc.team') : age
  if (state === 'fresh') return { tone: 'ok', icon: 'check', label }
  return { tone: 'warn', icon: state === 'never' ? 'warning' : 'clock', label }
}
