import type { ListenerStatus, Silence } from '#contract/live/listener.ts'
import { type Gap, isOfAlarm } from '#contract/live/events.ts'
import { gapReason } from '../../shared/format/gap-reason.ts'
import { refusalWords } from '../../shared/format/refusals.ts'
import { formatDuration } from '../../shared/format/time.ts'
import { areSecretsLost, listenerProblemText, silenceTone } from '../../shared/status/listener-look.ts'
import { signInError } from '../../shared/status/sign-in-error.ts'
import { isRelayOnly, relayAdvice, relayLook, relayTone } from '../../shared/status/relay-look.ts'
import { type AttentionInput, type AttentionItem, bad, listed, ofText, warn } from './attention-item.ts'
import { t } from './overview.texts.ts'
import { openText, repliesText } from './recovery-words.ts'

const settings = (label = t('action.listener')) => ({ label, to: '/settings?section=listener' })
const subscribe = () => ({ label: t('action.subscribe'), to: '/webhooks?subscribe=1' })
const addSecret = () => ({ also: [subscribe()], action: settings(t('action.secret')) })

/** Why events don't arrive, or are rejected. */
export function listenerItems({
  status: { listener, session },
  gaps,
  nowMs,
}: AttentionInput): AttentionItem[] {
  // Alarms have their own items.
  const gap = gaps.find(({ to, reason }) => to === null && !isOfAlarm(reason)) ?? null
  // Subscribing needs a sign-in, which has its own item.
  const isSignedIn = signInError(session) === null
  const { refusedLastMinute: n, lastRefusalReason: reason, silence } = listener
  return listed(
    relayItem(listener, gap, nowMs),
    ownListenerItem(listener, gap, isSignedIn),
    silence && silence.kind !== 'unconfirmed' && silenceItem(silence, listener.withoutSecret),
    secretItem(listener, isSignedIn),
    n > 0 &&
      warn({
        id: 'rejecting',
        icon: 'ban',
        text: t('attention.rejecting', { n }),
        detail: reason === null ? '' : t('attention.last', { reason: refusalWords(reason) }),
        action: settings(),
      }),
  )
}

function relayItem(listener: ListenerStatus, gap: Gap | null, nowMs: number): AttentionItem | null {
  const { relay } = listener
  const tone = relayTone(listener)
  if (!relay || !tone) return null
  return {
    tone,
    id: 'relay',
    icon: 'offline',
    since: isRelayOnly(listener) && listener.state === 'failed' ? (gap?.from ?? null) : null,
    text: relayLook(relay).label,
    detail: relayAdvice(relay, nowMs) || t('attention.noEvents'),
    action: settings(),
  }
}

/** The listener of this computer receives nothing. */
function ownListenerItem(
  listener: ListenerStatus,
  gap: Gap | null,
  isSignedIn: boolean,
): AttentionItem | null {
  const { state, problem } = listener
  const item = { id: 'listener', icon: 'listening', since: gap?.from ?? null, action: settings() } as const
  if (problem) {
    const isLost = areSecretsLost(listener)
    return bad({
      ...item,
      icon: isLost ? 'key' : 'listening',
      ...ofText(listenerProblemText(problem)),
      ...(isLost && isSignedIn && addSecret()),
    })
  }
  if (!isRelayOnly(listener) && (state === 'stopped' || state === 'failed'))
    return bad({ ...item, text: t('attention.stopped'), detail: t('attention.noEvents') })
  if (!gap || state !== 'listening') return null
  return bad({
    ...item,
    text: t('attention.noEventsArrive'),
    detail: t('attention.because', { reason: gapReason(gap.reason) }),
    action: { label: t('action.webhooks'), to: '/webhooks' },
  })
}

/** Nothing can be checked, or not everything. */
function secretItem(listener: ListenerStatus, isSignedIn: boolean): AttentionItem | null {
  const { withoutSecret, secretsNotKnown, silence } = listener
  const item = { id: 'secret', icon: 'key' } as const
  const n = secretsNotKnown.length
  if (n > 0)
    return areSecretsLost(listener)
      ? null
      : warn({
          ...item,
          text: t('attention.secretUnreadable', { n }),
          detail: t(withoutSecret ? 'attention.allRejected' : 'attention.someRejected'),
          action: settings(),
        })
  // A new subscription brings its secret.
  if (!withoutSecret || !isSignedIn || silence?.kind === 'no-subscription') return null
  return warn({
    ...item,
    text: t('attention.noSecret'),
    detail: t('attention.noSecretDetail'),
    ...addSecret(),
  })
}

/** No subscription points to Switchboard, or reports of sent messages don't come. A new connection only needs its first subscription. */
function silenceItem({ kind, since, sent, subscriptionId }: Silence, withoutSecret: boolean): AttentionItem {
  const item = { id: 'silence', tone: silenceTone(since), icon: 'listening', since } as const
  if (kind === 'no-reports')
    return {
      ...item,
      text: t('attention.no-reports'),
      detail: t('attention.sentSince', { n: sent }),
      action:
        subscriptionId === null
          ? subscribe()
          : { label: t('action.test'), to: `/webhooks?test=${encodeURIComponent(subscriptionId)}` },
    }
  return {
    ...item,
    text: t('attention.no-subscription'),
    detail: t('attention.noEvents'),
    ...(withoutSecret ? addSecret() : { action: subscribe() }),
  }
}

/** Gaps whose messages were not looked up yet. */
export function gapItems({ gaps, recovery }: AttentionInput): AttentionItem[] {
  const open = recovery.filter(({ open, run }) => open.value > 0 && run === null)
  const [newest] = open
  if (!newest) return []
  const gap = gaps.find(({ from }) => from === newest.from)
  return [
    warn({
      id: 'gaps',
      icon: 'warning',
      text:
        open.length === 1 && gap
          ? t('attention.gap', { duration: formatDuration(gap.durationMs) })
          : t('attention.gaps', { n: open.length }),
      detail: [gap && repliesText(gap), openText(newest)].filter(Boolean).join(' '),
      since: newest.from,
      action: { label: t('action.gaps'), to: '/overview?gaps=show' },
    }),
  ]
}
