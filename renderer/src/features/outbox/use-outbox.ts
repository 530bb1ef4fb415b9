import type { ErrorView } from '#contract/define.ts'
import type { OutboxDrain } from '#contract/people/outbox.ts'
import { keepPreviousData, useQueryClient } from '@tanstack/vue-query'
import { until, useThrottleFn } from '@vueuse/core'
import { computed, shallowRef, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { useAttempt } from '../../rpc/use-attempt.ts'
import { useAddressFilter } from '../../shared/list/use-address-filter.ts'
import { useListQuery } from '../../shared/list/use-list-query.ts'
import { useAnswer } from '../../shared/query/use-answer.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'
import { createItemSelection } from './item-selection.ts'
import { filterOf, outboxAddressSchema } from './outbox-filter.ts'
import { loadedRowLimit, pageRows, readPage } from './outbox-pages.ts'

/** Refresh interval of batches and rows while the outbox changes, milliseconds. For rows it grows with each loaded page. */
const periodMs = 1_000

/** The state of the Outbox page: drain, batches, the filter in the address and its requests. */
export function useOutbox() {
  const rpc = useRpc()
  const keyOf = useQueryKey()
  const cache = useQueryClient()
  const { filter: address, invalid, change } = useAddressFilter(outboxAddressSchema)
  const filter = computed(() => filterOf(address.value))
  const itemsKey = () => keyOf('outbox', 'items', filter.value)

  const list = useListQuery({
    key: itemsKey,
    read: (cursor: string | undefined, signal) => readPage(rpc.client, filter.value, cursor, signal),
  })
  const batches = useAnswer(
    () => ['outbox', 'batches', filter.value.batchId],
    ({ outbox }, signal) => outbox.batches({ limit: 50, batchId: filter.value.batchId }, { signal }),
    () => ({ placeholderData: keepPreviousData }),
  )
  const total = computed(() => list.answer.value?.total ?? 0)
  const selection = createItemSelection({
    rows: () => list.rows.value,
    filter: () => filter.value,
    total: () => total.value,
  })
  watch(() => JSON.stringify(filter.value), selection.clear)

  const isFull = () => list.rows.value.length >= loadedRowLimit
  const pagesLoaded = () => Math.ceil(list.rows.value.length / pageRows)
  const rowsSoon = useThrottleFn(
    async () => {
      // A refetch would cancel the next page.
      await until(list.isFetching).toBe(false)
      await cache.invalidateQueries({ queryKey: itemsKey() })
    },
    () => periodMs * Math.max(1, pagesLoaded() / 4),
    true,
  )
  const batchesSoon = useThrottleFn(
    () => cache.invalidateQueries({ queryKey: keyOf('outbox', 'batches') }),
    periodMs,
    true,
  )

  const drain = shallowRef<OutboxDrain | null>(null)
  /** Why the sending state no longer arrives; null while it does. */
  const lost = shallowRef<ErrorView | null>(null)
  let former = ''
  rpc.subscribe((client, signal) => client.outbox.watch(undefined, { signal }), {
    onItem(next) {
      drain.value = next
      lost.value = null
      const { counts, nextStart, missedStarts, movedStarts } = next
      const now = JSON.stringify([counts, nextStart, missedStarts, movedStarts])
      if (former !== '' && former !== now) {
        void rowsSoon()
        void batchesSoon()
      }
      former = now
    },
    onLost: (error) => (lost.value = error),
  })

  const pausing = useAttempt()
  async function setPaused(paused: boolean): Promise<void> {
    const answer = await pausing.run(paused ? rpc.client.outbox.pause() : rpc.client.outbox.resume())
    if (answer.ok) drain.value = answer.value
  }

  /** With the counts of the batches on show, so that both are of one moment. */
  const shownDrain = computed(() => {
    const counts = batches.error.value ? undefined : batches.data.value?.counts
    return drain.value && { ...drain.value, ...(counts && { counts }) }
  })

  return {
    client: rpc.client,
    drain: shownDrain,
    lost,
    list,
    isFull,
    loadMore: () => void (isFull() || list.loadMore()),
    batches,
    address,
    change,
    filter,
    invalid,
    total,
    selection,
    refresh: () => void cache.invalidateQueries({ queryKey: keyOf('outbox') }),
    setPaused,
    pauseRefused: pausing.error,
  }
}

export type Outbox = ReturnType<typeof useOutbox>
