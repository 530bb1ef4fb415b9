import type { Silence } from '#contract/live/listener.ts'
import { isOfAlarm } from '#contract/live/events.ts'
import { gapReason } from '../../shared/format/gap-reason.ts'
import { refusalWords } from '../../shared/format/refusals.ts'
import { formatDuration } from '../../shared/format/time.ts'
import { areSecretsLost, listenerProblemText, silenceTone } from '../../shared/status/listener-look.ts'
import { signInError } from '../../shared/status/sign-in-error.ts'
import { isRelayOnly, relayAdvice, relayLook, relayTone } from '../../shared/status/relay-look.ts'
import { type AttentionInput, type AttentionItem, bad, ofText, warn } from './attention-item.ts'
import { t } from './overview.texts.ts'
import { openText, repliesText } from './recovery-words.ts'

export function listenerItems({
  status: { listener, session },
  gaps,
  nowMs,
}: AttentionInput): AttentionItem[] {
  const action = { label: t('action.listener'), to: '/settings?section=listener' }
  // Alarms have their own items.
  const open = gaps.find(({ to, reason }) => to === null && !isOfAlarm(reason))
  const since = open?.from ?? null
  const items: AttentionItem[] = []
  const isAlone = isRelayOnly(listener)
  const { relay } = listener
  const tone = relayTone(listener)
  if (relay && tone)
    items.push({
      tone,
      id: 'relay',
      icon: 'offline',
      since: isAlone && listener.state === 'failed' ? since : null,
      text: relayLook(relay).label,
      detail: relayAdvice(relay, nowMs) || t('attention.noEvents'),
      action,
    })
  const isWithoutKeychain = areSecretsLost(listener)
  // Subscribing needs a sign-in, which has its own item.
  const isSignedIn = signInError(session) === null
  const addSecret = { ...action, label: t('action.secret') }
  if (listener.problem)
    items.push(
      bad({
        id: 'listener',
        icon: isWithoutKeychain ? 'key' : 'listening',
        since,
        ...ofText(listenerProblemText(listener.problem)),
        ...(isWithoutKeychain && isSignedIn ? { also: [subscribe()], action: addSecret } : { action }),
      }),
    )
  else if (!isAlone && (listener.state === 'stopped' || listener.state === 'failed'))
    items.push(
      bad({
        id: 'listener',
        icon: 'listening',
        since,
        text: t('attention.stopped'),
        detail: t('attention.noEvents'),
        action,
      }),
    )
  else if (open && listener.state === 'listening')
    items.push(
      bad({
        id: 'listener',
        icon: 'listening',
        since,
        text: t('attention.noEventsArrive'),
        detail: t('attention.because', { reason: gapReason(open.reason) }),
        action: { label: t('action.webhooks'), to: '/webhooks' },
      }),
    )
  const { silence } = listener
  if (silence?.kind === 'no-subscription' && listener.withoutSecret)
    items.push({ ...silenceItem(silence), also: [subscribe()], action: addSecret })
  else if (silence && silence.kind !== 'unconfirmed') items.push(silenceItem(silence))
  const n = listener.secretsNotKnown.length
  const refused = listener.refusedLastMinute
  // A new subscription brings its secret.
  if (listener.withoutSecret && n === 0 && isSignedIn && silence?.kind !== 'no-subscription')
    items.push(
      warn({
        id: 'secret',
        icon: 'key',
        text: t('attention.noSecret'),
        detail: t('attention.noSecretDetail'),
        also: [subscribe()],
        action: addSecret,
      }),
    )
  else if (n > 0 && !isWithoutKeychain)
    items.push(
      warn({
        id: 'secret',
        icon: 'key',
        text: t('attention.secretUnreadable', { n }),
        detail: t(listener.withoutSecret ? 'attention.allRejected' : 'attention.someRejected'),
        action,
      }),
    )
  if (refused > 0)
    items.push(
      warn({
        id: 'rejecting',
        icon: 'ban',
        text: t('attention.rejecting', { n: refused }),
        detail:
          listener.lastRefusalReason === null
            ? ''
            : t('attention.last', { reason: refusalWords(listener.lastRefusalReason) }),
        action,
      }),
    )
  return items
}

const subscribe = () => ({ label: t('action.subscribe'), to: '/webhooks?subscribe=1' })

/** No subscription points to Switchboard, or reports of sent messages don't come. A new connection only needs its first subscription. */
function silenceItem({ kind, since, sent, subscriptionId }: Silence): AttentionItem {
  const action =
    kind === 'no-reports' && subscriptionId !== null
      ? { label: t('action.test'), to: `/webhooks?test=${encodeURIComponent(subscriptionId)}` }
      : subscribe()
  return {
    id: 'silence',
    tone: silenceTone(since),
    icon: 'listening',
    text: t(kind === 'no-reports' ? 'attention.no-reports' : 'attention.no-subscription'),
    detail: kind === 'no-reports' ? t('attention.sentSince', { n: sent }) : t('attention.noEvents'),
    since,
    action,
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
