import type { ConnectionActivity } from '#contract/connection/connections.ts'
import { type StatusLook, statusLook } from '../../shared/format/status.ts'
import { formatCount, formatShare } from '../../shared/format/numbers.ts'
import { formatAge, formatTime } from '../../shared/format/time.ts'
import { errorText } from '../../shared/i18n/core-texts.ts'
import { isRelayOnly, relayAdvice, relayLook } from '../../shared/status/relay-look.ts'
import { t } from './connections.texts.ts'

/** The rows of the table. */
export const rows = [
  'status',
  'attention',
  'listener',
  'path',
  'events',
  'halfHour',
  'failed',
  'campaigns',
  'unread',
  'outbox',
  'dnc',
  'requests',
  'background',
] as const

/** One sentence for each thing that needs attention. */
export const attentionOf = (one: ConnectionActivity, nowMs: number): string[] => [
  ...(one.problem ? [errorText(one.problem)] : []),
  ...(one.listener.relay?.state === 'refused' ? [relayAdvice(one.listener.relay, nowMs)] : []),
  ...(one.openGap ? [t('gap', { time: formatTime(one.openGap.from, 'minute') })] : []),
  ...(one.alerts > 0 ? [t('alerts', { n: one.alerts })] : []),
]

const hasRelayOnly = ({ listener }: ConnectionActivity) => isRelayOnly({ ...listener, problem: null })

/** The states of the listener, the relay or both. */
export const receiverLooks = (one: ConnectionActivity): StatusLook[] => [
  ...(hasRelayOnly(one) ? [] : [statusLook('listener', one.listener.state)]),
  ...(one.listener.relay ? [relayLook(one.listener.relay)] : []),
]

/** Where the service delivers; null while unknown. */
export const addressOf = ({ listener }: ConnectionActivity): string | null =>
  listener.relay?.webhookUrl ?? listener.url

/** The path of that address. */
export function pathOf(one: ConnectionActivity): string | null {
  const atRelay = one.listener.relay?.webhookUrl
  if (atRelay) return new URL(atRelay).pathname
  return hasRelayOnly(one) ? null : one.listener.path
}

/** The text of a row that has only text; a dash while the connection is not open. */
export function textOf(row: (typeof rows)[number], one: ConnectionActivity): string {
  if (one.state !== 'live') return '–'
  if (row === 'events') return formatCount(one.eventsPerMinute)
  if (row === 'unread') return formatCount(one.unreadConversations)
  if (row === 'outbox') return one.queuedRequests > 0 ? t('queued', { n: one.queuedRequests }) : t('empty')
  if (row === 'failed' && one.lastHalfHour)
    return formatShare(one.lastHalfHour.failed, one.lastHalfHour.final)
  if (row === 'campaigns' && one.runningCampaigns !== null) return t('running', { n: one.runningCampaigns })
  return '–'
}

/** The age of the offline DNC copy. */
export function dncLook(
  { state, asOf }: NonNullable<ConnectionActivity['dncList']>,
  nowMs: number,
): StatusLook {
  const label = state === 'never' || !asOf ? t('dnc.never') : t('dnc.synced', { age: formatAge(asOf, nowMs) })
  if (state === 'fresh') return { tone: 'ok', icon: 'check', label }
  return { tone: state === 'never' ? 'quiet' : 'warn', icon: state === 'never' ? 'dot' : 'clock', label }
}
