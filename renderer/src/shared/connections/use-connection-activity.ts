import type { ConnectionActivity } from '#contract/connection/connections.ts'
import type { Freshness } from '#contract/define.ts'
import { createSharedComposable } from '@vueuse/core'
import { computed, shallowRef, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { type StatusLook, statusText } from '../format/status.ts'
import { relayTone } from '../status/relay-look.ts'
import { byName } from './connections.store.ts'

const useStream = createSharedComposable(() => {
  const rpc = useRpc()
  const latest = shallowRef<{ connections: readonly ConnectionActivity[]; asOf: string } | null>(null)
  const readers = shallowRef(0)
  const read = () =>
    rpc.subscribe((from, signal) => from.connections.watch(undefined, { signal }), {
      onItem: (item) => (latest.value = item),
    })
  watch(
    () => readers.value > 0,
    (isRead, _was, onCleanup) => {
      if (isRead) onCleanup(read())
    },
  )
  return { latest, readers }
})

/** What happens on every saved connection, by name. Streams while a component uses it and `isOn` holds. */
export function useConnectionActivity(isOn: () => boolean = () => true) {
  const { latest, readers } = useStream()
  watch(
    isOn,
    (on, _was, onCleanup) => {
      if (!on) return
      readers.value++
      onCleanup(() => readers.value--)
    },
    { immediate: true },
  )
  return {
    activity: computed(
      () =>
        latest.value?.connections.toSorted((one, other) => byName(one.connection, other.connection)) ?? null,
    ),
    freshness: computed<Freshness | null>(
      () => latest.value && { asOf: latest.value.asOf, source: 'live', error: null },
    ),
  }
}

export const isRelayLost = ({ listener: { relay } }: ConnectionActivity): boolean =>
  relay?.state === 'refused' || relay?.state === 'unreachable'

/** Whether events came before and no longer do. */
export const isSilent = ({ listener: { silence } }: ConnectionActivity): boolean =>
  silence !== null && silence.since !== null

/** Whether something on the connection waits for the operator, and how bad it is: the same as on its Overview. */
export function attentionTone(one: ConnectionActivity): 'bad' | 'warn' | null {
  const relay = relayTone({ ...one.listener, problem: one.problem })
  if (one.problem !== null || one.openGap !== null || one.alerts > 0 || isSilent(one)) return 'bad'
  return relay ?? (one.listener.refusedLastMinute > 0 ? 'warn' : null)
}

/** The status of a connection, the worst first. Call it like `t`. */
export function connectionLook(one: ConnectionActivity): StatusLook {
  if (one.state === 'failed') return { tone: 'bad', icon: 'cross', label: statusText('notOpened') }
  if (one.state === 'connecting') return { tone: 'info', icon: 'clock', label: statusText('connecting') }
  if (one.state === 'off') return { tone: 'quiet', icon: 'pause', label: statusText('off') }
  if (one.state === 'signed-out' && one.problem)
    return { tone: 'bad', icon: 'key', label: statusText('signInLost') }
  if (one.state === 'signed-out') return { tone: 'quiet', icon: 'key', label: statusText('signedOut') }
  if (one.session === 'expired') return { tone: 'bad', icon: 'key', label: statusText('signInExpired') }
  const tone = attentionTone(one)
  return tone
    ? { tone, icon: 'warning', label: statusText('needsAttention') }
    : { tone: 'ok', icon: 'check', label: statusText('live') }
}
