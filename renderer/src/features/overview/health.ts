import type { DncCache } from '#contract/people/dnc.ts'
import type { OutboxDrain } from '#contract/people/outbox.ts'
import type { Status } from '#contract/connection/status.ts'
import type { ListenerStatus, RelayStatus } from '#contract/live/listener.ts'
import { listLook } from '../../shared/format/dnc-list.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import {
  formatAge,
  formatDuration,
  formatForecast,
  formatTime,
  wholeSecondsUntil,
} from '../../shared/format/time.ts'
import { ownListenerLook } from '../../shared/status/listener-look.ts'
import { isFailing } from '../../shared/status/is-failing.ts'
import { isRelayOnly, relayLook } from '../../shared/status/relay-look.ts'
import { dayMs, endsSoonInMs } from './attention-item.ts'
import { t } from './overview.texts.ts'

/** One part of the connection: state, details, and its page. */
export interface HealthRow {
  name: string
  look: StatusLook
  text: string
  /** The time in the text. */
  at?: string | null
  to: string | null
}

const ok = (label: string): StatusLook => ({ tone: 'ok', icon: 'check', label })
const quiet = (label: string): StatusLook => ({ tone: 'quiet', icon: 'dot', label })
const warn = (label: string): StatusLook => ({ tone: 'warn', icon: 'warning', label })
const bad = (label: string): StatusLook => ({ tone: 'bad', icon: 'warning', label })

type Tones<S extends string> = Record<S, (label: string) => StatusLook>

const sessionTones: Tones<Status['session']['state']> = {
  none: warn,
  'signing-in': quiet,
  'signed-in': ok,
  expired: bad,
  'signed-out': warn,
}

const drainTones: Tones<OutboxDrain['state']> = {
  sending: ok,
  idle: quiet,
  paused: warn,
  offline: warn,
  'signed-out': warn,
  'rate-limited': warn,
  waiting: warn,
  stopped: bad,
}

const drainLook = (state: OutboxDrain['state']) => drainTones[state](t(`health.drain.${state}`))
const facts = (...parts: (string | false)[]) =>
  parts.filter((part) => part !== false && part !== '').join(' · ')

function serviceLook(network: Status['network']): StatusLook {
  if (network.reachable === null) return quiet(t('health.notContacted'))
  if (network.reachable) return ok(t('health.reachable'))
  return bad(t(isFailing(network) ? 'health.failing' : 'health.unreachable'))
}

/** The sign-in. A password session warns on its last day; a new API key is not verified until the service responds. */
function signInRow({ network, session }: Status, nowMs: number): HealthRow {
  const row = { name: t('health.signIn'), to: '/settings?section=connections' }
  const { endsAt, state } = session
  if (state === 'signed-in' && endsAt === null && network.lastAnswerAt === null)
    return { ...row, look: quiet(t('health.notVerified')), text: t('health.notVerifiedText') }
  const endsInMs = endsSoonInMs(session, nowMs)
  if (endsInMs !== null) {
    const look = warn(t('health.expires', { duration: formatDuration(endsInMs) }))
    return { ...row, look, text: t('health.signInAgain') }
  }
  return { ...row, look: sessionTones[state](t(`health.session.${state}`)), text: '' }
}

function requestsRow(budget: NonNullable<Status['budget']>, nowMs: number): HealthRow {
  const { usedByUs: ours, usedByOthers: others, limitPerMinute: limit, queued } = budget
  const waiting = queued.operator + queued.live + queued.bulk
  // Both end here at their time: the next status may come a second later.
  const pausedMs = wholeSecondsUntil(budget.pausedUntil, nowMs)
  // The limit is per minute; more comes from rounding.
  const resetMs = Math.min(60_000, wholeSecondsUntil(budget.resetsAt, nowMs))
  const look = () => {
    if (pausedMs > 0) return warn(t('health.limited', { duration: formatDuration(pausedMs) }))
    return budget.remaining < limit / 10
      ? warn(t('health.almostUsed'))
      : ok(t('health.left', { n: budget.remaining, limit }))
  }
  const text = facts(
    t('health.shares', { ours, others }),
    ours + others > 0 && resetMs > 0 && t('health.resets', { duration: formatDuration(resetMs) }),
    waiting > 0 && t('health.waiting', { n: waiting }),
  )
  return { name: t('health.requests'), look: look(), text, to: null }
}

/** Others may use or free requests meanwhile. */
const unknownRequests = (): HealthRow => ({
  name: t('health.requests'),
  look: quiet(t('health.unknown')),
  text: '',
  to: null,
})

/** While the service doesn't answer, nothing is known to be well with it. */
const asUnanswered = (row: HealthRow): HealthRow =>
  row.look.tone === 'ok' ? { ...row, look: quiet(row.look.label) } : row

const listenerPage = ({ silence }: ListenerStatus) => (silence ? '/webhooks' : '/settings?section=listener')

/** The listener, and what it received since Switchboard started. */
function listenerRow({ listener }: Status, nowMs: number): HealthRow {
  const { lastDeliveryAt, unsigned, notStored } = listener
  const text = facts(
    lastDeliveryAt !== null && t('health.lastDelivery', { age: formatAge(lastDeliveryAt, nowMs) }),
    unsigned > 0 && t('health.unsigned', { n: unsigned }),
    notStored > 0 && t('health.notStored', { n: notStored }),
  )
  return {
    name: t('health.listener'),
    look: ownListenerLook(listener),
    text,
    at: lastDeliveryAt,
    to: listenerPage(listener),
  }
}

/** The relay, and what was stored from it since Switchboard started. */
function relayRow(relay: RelayStatus, listener: ListenerStatus, nowMs: number): HealthRow {
  const { silence } = listener
  const { lastDeliveryAt, refusedSignatures: wrong } = relay
  const text = facts(
    lastDeliveryAt !== null && t('health.lastDelivery', { age: formatAge(lastDeliveryAt, nowMs) }),
    wrong > 0 && t('health.wrongSignature', { n: wrong }),
  )
  const to = listenerPage(listener)
  const look = silence && isRelayOnly(listener) ? ownListenerLook({ ...listener, silence }) : relayLook(relay)
  return { name: t('health.relay'), look, text, at: lastDeliveryAt, to }
}

export function serviceRows(status: Status, nowMs: number): HealthRow[] {
  const { network, budget, secrets, listener } = status
  const age = network.lastAnswerAt && formatAge(network.lastAnswerAt, nowMs)
  const inKeychain = secrets.kind === 'keychain'
  // Those of the sandbox are worth nothing.
  const memory = status.connection?.kind === 'sandbox' ? quiet : warn
  return [
    ...(isRelayOnly(listener) ? [] : [listenerRow(status, nowMs)]),
    ...(listener.relay ? [relayRow(listener.relay, listener, nowMs)] : []),
    {
      name: t('health.service'),
      look: serviceLook(network),
      text: age ? t('health.lastResponse', { age }) : '',
      at: network.lastAnswerAt,
      to: null,
    },
    network.reachable === false ? asUnanswered(signInRow(status, nowMs)) : signInRow(status, nowMs),
    ...(budget ? [network.reachable ? requestsRow(budget, nowMs) : unknownRequests()] : []),
    {
      name: t('health.secrets'),
      look: inKeychain ? ok(t('health.keychain')) : memory(t('health.memory')),
      text: inKeychain ? '' : t('health.memoryText'),
      to: null,
    },
  ]
}

/** An idle outbox with open requests is about to send, in its undo window, or waits for you. */
function idleLook(counts: OutboxDrain['counts']): StatusLook {
  if (counts.queued + counts['in-flight'] > 0) return drainLook('sending')
  if (counts.undoable > 0) return quiet(t('health.canBeUndone'))
  return counts.blocked > 0 ? warn(t('health.attention')) : quiet(t('health.scheduled'))
}

export function outboxRow({ state, counts, etaMs }: OutboxDrain): HealthRow {
  const open = counts.undoable + counts.scheduled + counts.queued + counts.blocked + counts['in-flight']
  const text = facts(
    open > 0 && t('health.remaining', { n: open }),
    etaMs !== null && open > 0 && formatForecast(etaMs),
  )
  const look = state === 'idle' && open > 0 ? idleLook(counts) : drainLook(state)
  return { name: t('health.outbox'), look, text, to: '/outbox' }
}

/** How reliable the offline DNC copy is. */
export function listRow(
  list: Parameters<typeof listLook>[0] & Pick<DncCache, 'asOf'>,
  nowMs: number,
): HealthRow {
  const { asOf, unreadable: n } = list
  const synced = asOf === null ? t('health.noClear') : t('health.synced', { age: formatAge(asOf, nowMs) })
  return {
    name: t('health.dnc'),
    look: listLook(list),
    text: facts(synced, n > 0 && t('health.unreadable', { n })),
    at: asOf,
    to: '/dnc',
  }
}

/** Text for no gaps in the last days. Nothing is known from before the listener first ran. */
export function noGapsText(
  { recordedSince, asOf }: { recordedSince: string | null; asOf: string },
  days: number,
  isListening: boolean,
): string {
  // A listener that has just started may not be in the answer yet.
  if (recordedSince === null) return t(isListening ? 'gaps.notRecorded' : 'gaps.neverListened')
  return Date.parse(recordedSince) > Date.parse(asOf) - days * dayMs
    ? t('gaps.noneSince', { time: formatTime(recordedSince, 'minute') })
    : t('gaps.noneInDays', { n: days })
}
