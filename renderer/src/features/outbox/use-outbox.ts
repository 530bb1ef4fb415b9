import type { ErrorView } from '#contract/define.ts'
import type { OutboxDrain, OutboxFilter, OutboxItem } from '#contract/outbox.ts'
import { useThrottleFn } from '@vueuse/core'
import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'
import { createItemList } from './item-list.ts'
import { createItemSelection } from './item-selection.ts'
import { addressToFilter, filterToAddress } from './outbox-filter.ts'

/** How often rows in sight and batches are read again while the outbox changes, milliseconds. */
const rowsPeriodMs = 1_000
const batchesPeriodMs = 2_000

/** The Outbox page: drain, batches, the address's filter and its items. Lives with the view. */
export function useOutbox(sight: () => { first: number; last: number }) {
  const rpc = useRpc()
  const route = useRoute()
  const router = useRouter()

  const drain = shallowRef<OutboxDrain | null>(null)
  /** Why the drain's state no longer arrives; null while it does. */
  const lost = shallowRef<ErrorView | null>(null)
  const list = createItemList(rpc.client)
  const batches = createLoadable(() => rpc.client.outbox.batches({ limit: 50 }))
  const activeId = shallowRef<number | null>(null)
  const opened = shallowRef(false)

  const address = computed(() => addressToFilter(route.query))
  const filter = computed<OutboxFilter>({
    get: () => address.value.filter,
    set: (next) => void router.replace({ query: filterToAddress(next) }),
  })
  const selection = createItemSelection({
    rows: () => list.state.value.rows,
    filter: () => filter.value,
    total: () => list.state.value.total,
  })

  watch(
    () => JSON.stringify(filter.value),
    () => {
      selection.clear()
      void list.ask(filter.value)
    },
    { immediate: true },
  )
  void batches.refresh()

  const refreshRows = () => {
    const { first, last } = sight()
    return list.refresh(first, last)
  }
  const rowsSoon = useThrottleFn(refreshRows, rowsPeriodMs, true)
  const batchesSoon = useThrottleFn(batches.refresh, batchesPeriodMs, true)

  let former = ''
  onScopeDispose(
    rpc.subscribe((client, signal) => client.outbox.watch(undefined, { signal }), {
      onItem(next) {
        drain.value = next
        lost.value = null
        const counts = JSON.stringify(next.counts)
        if (former !== '' && former !== counts) {
          void rowsSoon()
          void batchesSoon()
        }
        former = counts
      },
      onLost: (error) => (lost.value = error),
    }),
  )

  /** Everything again, after an action or when asked. */
  function refresh(): void {
    void refreshRows()
    void batches.refresh()
  }

  const active = computed<OutboxItem | null>(
    () => list.state.value.rows.find(({ id }) => id === activeId.value) ?? null,
  )

  /** Pauses or resumes the drain; null when it was done. */
  async function setPaused(paused: boolean): Promise<ErrorView | null> {
    const answer = await attempt(paused ? rpc.client.outbox.pause() : rpc.client.outbox.resume())
    if (answer.ok) drain.value = answer.value
    return answer.ok ? null : answer.error
  }

  return {
    client: rpc.client,
    drain,
    lost,
    list,
    batches,
    filter,
    /** Words of the address that are none. */
    unread: computed(() => address.value.unread),
    selection,
    activeId,
    active,
    opened,
    refresh,
    /** What is scrolled into sight may have changed since it was read. */
    rowsSoon: () => void rowsSoon(),
    setPaused,
  }
}
