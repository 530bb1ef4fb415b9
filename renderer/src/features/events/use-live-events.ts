import { useDocumentVisibility } from '@vueuse/core'
import type { EventRow } from '#contract/events.ts'
import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useRpc } from '../../rpc/rpc.ts'
import { useRegion } from '../../shared/format/regions.ts'
import { useStatusStore } from '../../shared/status/status.store.ts'
import { startPolling } from '../../shared/time/polling.ts'
import { createEventDetail } from './event-detail.ts'
import { type FilterFields, fieldsToQuery, queryToFields, readFields } from './event-filter.ts'
import { createHoles } from './event-holes.ts'
import { indexOfSeq } from './event-rows.ts'
import { createEventStream } from './event-stream.ts'
import { placeHoles } from './hole-bands.ts'
import { useReplay } from './replay.ts'
import { createViewHold } from './view-hold.ts'

/** How often the holes are read while the page is looked at, milliseconds; a change of the listener reads them at once. */
const holesRefreshMs = 30_000

/** Once per picture, however often it is asked for. */
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
 * The Live events page: the filter in the address, its stream of events, the selected row and its details. Lives with the view. A replay
 * only moves the end of the filter's time range, so the list, its counts and its export follow.
 */
export function useLiveEvents() {
  const rpc = useRpc()
  const route = useRoute()
  const router = useRouter()
  const statusStore = useStatusStore()
  const visibility = useDocumentVisibility()

  const stream = createEventStream({ rpc, schedule: onNextFrame() })
  const hold = createViewHold(stream)
  const holes = createHoles(rpc.client)
  const detail = createEventDetail(rpc.client)
  const activeSeq = shallowRef<number | null>(null)

  const fields = computed<FilterFields>({
    get: () => queryToFields(route.query),
    set: (next) => void router.replace({ query: fieldsToQuery(next) }),
  })
  const replay = useReplay(
    () => fields.value,
    () => stream.phase.value.kind === 'loading',
  )
  const shown = computed<FilterFields>(() => {
    const untilMs = replay.untilMs.value
    return untilMs === null ? fields.value : { ...fields.value, to: new Date(untilMs).toISOString() }
  })
  const region = useRegion()
  const reading = computed(() => readFields(shown.value, region.value))
  /** Null while the filter cannot be understood: then nothing is asked for. */
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

  const visible = computed(() => visibility.value === 'visible')
  let stopHoles = () => {}
  watch(
    () => statusStore.listener?.state,
    () => {
      stopHoles()
      stopHoles = startPolling(holes.refresh, () => holesRefreshMs, { visible })
    },
    { immediate: true },
  )
  onScopeDispose(() => stopHoles())

  const bands = computed(() =>
    placeHoles(stream.rows.value, holes.holes.value ?? [], stream.older.value.kind === 'end', shown.value),
  )

  /** Another copy of the event in the drawer came: its details are read again. */
  watch(stream.rows, (rows) => {
    const shown = detail.state.value
    if (shown.kind !== 'ready') return
    const now = rows[indexOfSeq(rows, shown.row.seq)]
    if (now && now.copies !== shown.row.copies) void detail.show(now)
  })

  /** Makes `row` the one in use. The list stands still from then on, so that it stays under the operator's eyes. */
  function select(row: EventRow): void {
    hold.read()
    activeSeq.value = row.seq
    if (detail.state.value.kind !== 'closed') void detail.show(row)
  }

  function open(row: EventRow): void {
    select(row)
    void detail.show(row)
  }

  return {
    replay,
    stream,
    hold,
    holes,
    bands,
    detail,
    fields,
    filter: computed(() => reading.value.filter),
    problems: computed(() => reading.value.problems),
    activeSeq,
    select,
    open,
  }
}
