import type { ListenerStatus, RelayStatus } from '#contract/live/listener.ts'
import type { StatusLook } from '../format/status.ts'
import { formatDuration } from '../format/time.ts'
import { t } from '../i18n/shared.texts.ts'
import { nowMs } from '../time/clock.ts'

/** Whether events arrive through a relay only: the listener has no port. */
export const isRelayOnly = (
  listener: Pick<ListenerStatus, 'state' | 'relay' | 'url' | 'problem'>,
): listener is typeof listener & { relay: RelayStatus } =>
  listener.relay !== null &&
  listener.url === null &&
  listener.problem === null &&
  listener.state !== 'stopped'

/** How bad it is that a relay doesn’t deliver: an error when nothing else receives. Null while it does or may soon. */
export function relayTone(
  listener: Pick<ListenerStatus, 'state' | 'relay' | 'url' | 'problem'>,
): 'bad' | 'warn' | null {
  const state = listener.relay?.state
  if (state === 'refused' || (isRelayOnly(listener) && listener.state === 'failed')) return 'bad'
  return state === 'unreachable' ? 'warn' : null
}

/** The state of the relay, in up to four words. */
export function relayLook({ state, refusal, behind }: RelayStatus): StatusLook {
  if (state === 'refused')
    return { tone: 'bad', icon: 'warning', label: t(`relay.refused.${refusal ?? 'token'}`) }
  if (state === 'unreachable') return { tone: 'warn', icon: 'offline', label: t('relay.unreachable') }
  if (state === 'connecting') return { tone: 'quiet', icon: 'clock', label: t('relay.connecting') }
  return behind > 0
    ? { tone: 'info', icon: 'clock', label: t('relay.behind', { n: behind }) }
    : { tone: 'ok', icon: 'listening', label: t('relay.connected') }
}

/** What happened and what to do; empty while all is well. */
export function relayAdvice({ state, refusal, behind, retryAt }: RelayStatus, atMs = nowMs.value): string {
  if (state === 'refused') return t(`relay.advice.${refusal ?? 'token'}`)
  if (state === 'unreachable') {
    const inMs = retryAt === null ? 0 : Date.parse(retryAt) - atMs
    return inMs < 1_000
      ? t('relay.advice.unreachable')
      : t('relay.advice.unreachableUntil', { duration: formatDuration(inMs) })
  }
  return state === 'connected' && behind > 0 ? t('relay.advice.behind', { n: behind }) : ''
}
