import type { EventRow } from '#contract/live/events.ts'
import { computed, onScopeDispose, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useRpc } from '../../rpc/rpc.ts'
import { useNumberRegion } from '../../shared/numbers/use-number-region.ts'
import { useAnswer } from '../../shared/query/use-answer.ts'
import { useStatusStore } from '../../shared/status/status.store.ts'
import { type FilterFields, fieldsToQuery, queryToFields, readFields } from './event-filter.ts'
import { indexOfSeq } from './event-rows.ts'
import { createEventStream } from './event-stream.ts'
import { placeGaps } from './gap-bands.ts'
import { useReplay } from './replay.ts'
import { createViewHold } from './view-hold.ts'

/** How often gaps are refreshed, milliseconds. A change of the listener refreshes them at once. */
const gapsRefreshMs = 30_000
/** Gaps of the whole history, so that old rows have theirs. Days; the contract’s maximum. */
const gapDays = 400

/** At most once per frame. */
function onNextFrame(): (apply: () => void) => void {
  let waiting = false
  return (apply) => {
    if (waiting) return
    waiting = true
    requestAnimationFrame(() => {
      waiting = false
      apply()
    })
  }
}

/**
 * The filter in the address and its stream of events. Not a query: it joins a search and a watch, and holds arrivals while you read. A
 * replay only moves the end of the filter’s period, so the list, its counts and its export follow.
 */
export function useLiveEvents() {
  const rpc = useRpc()
  const route = useRoute()
  const router = useRouter()
  const statusStore = useStatusStore()

  const stream = createEventStream({ rpc, schedule: onNextFrame() })
  watch(stream.storedTotal, (storedEvents) => statusStore.note({ storedEvents }))
  const hold = createViewHold(stream)

  const fields = computed<FilterFields>({
    get: () => queryToFields(route.query),
    set: (next) => void router.replace({ query: fieldsToQuery(next) }),
  })
  const replay = useReplay(
    () => fields.value,
    () => stream.phase.value.kind === 'loading',
    () => {
      const [newest] = stream.rows.value
      const oldest = stream.older.value.kind === 'end' ? stream.rows.value.at(-1) : undefined
      return (
        (newest && {
          newestMs: Date.parse(newest.receivedAt),
          oldestMs: oldest ? Date.parse(oldest.receivedAt) : null,
        }) ??
        null
      )
    },
  )
  const shown = computed<FilterFields>(() => {
    const untilMs = replay.untilMs.value
    return untilMs === null ? fields.value : { ...fields.value, to: new Date(untilMs).toISOString() }
  })
  const region = useNumberRegion()
  const reading = computed(() => readFields(shown.value, region.value ?? undefined))
  /** Null while the filter is invalid: nothing is read then. */
  const filterKey = computed(() => (reading.value.filter ? JSON.stringify(reading.value.filter) : null))

  let stopStream = () => {}
  watch(
    filterKey,
    () => {
      stopStream()
      const { filter } = reading.value
      stopStream = filter ? stream.start(filter) : () => {}
    },
    { immediate: true },
  )
  onScopeDispose(() => stopStream())

  const gapQuery = useAnswer(
    () => ['event-gaps'],
    (client, signal) => client.events.gaps({ days: gapDays }, { signal }),
    () => ({ refetchInterval: gapsRefreshMs, refetchOnWindowFocus: true }),
  )
  watch(
    () => [statusStore.listener?.state, statusStore.listener?.silence?.kind].join(),
    () => void gapQuery.refetch(),
  )
  const gaps = computed(() => gapQuery.data.value?.gaps ?? null)
  const bands = computed(() =>
    placeGaps(stream.rows.value, gaps.value ?? [], stream.older.value.kind === 'end', shown.value),
  )

  let lastFound: EventRow | null = null

  return {
    replay,
    stream,
    hold,
    gaps,
    recordedSince: computed(() => gapQuery.data.value?.recordedSince ?? null),
    gapsFailed: gapQuery.isError,
    bands,
    fields,
    filter: computed(() => reading.value.filter),
    problems: computed(() => reading.value.problems),
    /** A row by its key. The last one found stays when the stream drops it. */
    find(key: string): EventRow | null {
      const row = stream.rows.value[indexOfSeq(stream.rows.value, Number(key))]
      lastFound = row ?? lastFound
      return String(lastFound?.seq) === key ? lastFound : null
    },
    /** Limits to events up to this row, so that loading older ones starts with an empty list. */
    continueFrom(row: EventRow): void {
      fields.value = { ...fields.value, to: new Date(Date.parse(row.receivedAt) + 1).toISOString() }
    },
  }
}
