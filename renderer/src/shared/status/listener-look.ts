import type { ErrorView } from '#contract/define.ts'
import type { ListenerStatus, Silence } from '#contract/live/listener.ts'
import { refusalWords } from '../format/refusals.ts'
import { type StatusLook, statusLook } from '../format/status.ts'
import { errorText } from '../i18n/core-texts.ts'
import { t } from '../i18n/shared.texts.ts'
import { isRelayOnly, relayLook } from './relay-look.ts'

/** A new connection has no subscription yet; where events came before, something is wrong. */
export const silenceTone = (since: Silence['since']) => (since === null ? 'warn' : 'bad')

/** No keychain kept the signing secrets before Switchboard restarted. */
export const areSecretsLost = ({ problem }: Pick<ListenerStatus, 'problem'>): boolean =>
  problem?.code.startsWith('KEYCHAIN_NO_') ?? false

/** Why the listener receives nothing. The keychain’s own error would say that sign-ins are lost. */
export const listenerProblemText = (problem: ErrorView): string =>
  areSecretsLost({ problem }) ? t('listener.secretsLost') : errorText(problem)

/** Why nothing arrives although it should, in a few words. One list without a subscription says nothing yet. */
export const silenceLook = ({ kind, since }: Silence): StatusLook => ({
  ...(kind === 'unconfirmed'
    ? { tone: 'quiet', icon: 'dot' }
    : { tone: silenceTone(since), icon: 'warning' }),
  label: t(`listener.${kind}`),
})

/** The listener’s own state. One that listens but can’t store or check deliveries, or is silent, receives nothing. It is green once one arrived. */
export function ownListenerLook({
  state,
  problem,
  silence,
  lastDeliveryAt,
}: Pick<ListenerStatus, 'state' | 'problem' | 'silence' | 'lastDeliveryAt'>): StatusLook {
  if (silence && !problem) return silenceLook(silence)
  const look = statusLook('listener', state)
  if (state !== 'listening') return look
  if (problem) return { tone: 'bad', icon: 'warning', label: t('listener.notReceiving') }
  return lastDeliveryAt === null ? { ...look, tone: 'quiet' } : look
}

/** The state of the listener, or of the relay without one, with the deliveries rejected in the last minute. Unknown while disconnected (`alive` false). */
export function listenerLook(listener: ListenerStatus, alive: boolean): StatusLook {
  if (!alive) return { tone: 'quiet', icon: 'dot', label: t('listener.unknown') }
  const look =
    isRelayOnly(listener) && !listener.silence ? relayLook(listener.relay) : ownListenerLook(listener)
  const { refusedLastMinute: n, lastRefusalReason: reason } = listener
  if (listener.state !== 'listening' || look.tone === 'bad' || !(n > 0)) return look
  const label =
    reason === null
      ? t('listener.rejecting', { n, state: look.label })
      : t(n === 1 ? 'listener.rejectingWhy' : 'listener.rejectingLast', {
          n,
          state: look.label,
          why: refusalWords(reason),
        })
  return { tone: 'warn', icon: 'warning', label }
}
