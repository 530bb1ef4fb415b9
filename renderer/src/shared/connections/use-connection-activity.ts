import type { ConnectionActivity } from '#contract/connection/connections.ts'
import type { Freshness } from '#contract/define.ts'
import { createSharedComposable } from '@vueuse/core'
import { computed, onScopeDispose, shallowRef } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { type StatusLook, statusText } from '../format/status.ts'

/** What happens on every saved connection, last used first. Streams while a component uses it. */
export const useConnectionActivity = createSharedComposable(() => {
  const rpc = useRpc()
  const latest = shallowRef<{ connections: readonly ConnectionActivity[]; asOf: string } | null>(null)
  onScopeDispose(
    rpc.subscribe((from, signal) => from.connections.watch(undefined, { signal }), {
      onItem: (item) => (latest.value = item),
    }),
  )
  return {
    activity: computed(() => latest.value?.connections ?? null),
    freshness: computed<Freshness | null>(
      () => latest.value && { asOf: latest.value.asOf, source: 'live', error: null },
    ),
  }
})

/** Whether something on the connection waits for the operator. */
export const needsAttention = ({ problem, openGap, alerts }: ConnectionActivity): boolean =>
  problem !== null || openGap !== null || alerts > 0

/** The status of a connection, the worst first. Call it like `t`. */
export function connectionLook(one: ConnectionActivity): StatusLook {
  if (one.state === 'failed') return { tone: 'bad', icon: 'cross', label: statusText('notOpened') }
  if (one.state === 'connecting') return { tone: 'info', icon: 'clock', label: statusText('connecting') }
  if (one.state === 'off') return { tone: 'quiet', icon: 'pause', label: statusText('off') }
  if (one.state === 'signed-out') return { tone: 'quiet', icon: 'key', label: statusText('signedOut') }
  if (one.session === 'expired') return { tone: 'bad', icon: 'key', label: statusText('signInExpired') }
  return needsAttention(one)
    ? { tone: 'warn', icon: 'warning', label: statusText('needsAttention') }
    : { tone: 'ok', icon: 'check', label: statusText('live') }
}
