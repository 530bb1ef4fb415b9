import type { ListenerStatus } from '#contract/listener.ts'
import { formatCount } from '../format/numbers.ts'
import { refusalWords } from '../format/refusals.ts'
import { type StatusLook, statusLook } from '../format/status.ts'

/**
 * How the listener is drawn: its state, and in words that deliveries do not get in while some were refused within the last
 * minute, of which only the last one's reason is known. Without news (`alive` false) nothing is claimed.
 */
export function listenerLook(listener: ListenerStatus, alive: boolean): StatusLook {
  if (!alive) return { tone: 'quiet', icon: 'dot', label: 'Unknown' }
  const look = statusLook('listener', listener.state)
  if (listener.state !== 'listening' || !(listener.refusedLastMinute > 0)) return look
  const { refusedLastMinute, lastRefusalReason } = listener
  const ofWhich = refusedLastMinute === 1 ? ': ' : ', the last one: '
  const why = lastRefusalReason === null ? '' : `${ofWhich}${refusalWords(lastRefusalReason)}`
  return {
    tone: 'warn',
    icon: 'warning',
    label: `Listening, ${formatCount(refusedLastMinute)} refused in the last minute${why}`,
  }
}
