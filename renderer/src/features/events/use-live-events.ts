import { useDocumentVisibility } from '@vueuse/core'
import type { EventRow } from '#contract/events.ts'
import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { type Client, useRpc } from '../../rpc/rpc.ts'
import { useRegion } from '../../shared/format/regions.ts'
import { useReplayStore } from '../../shared/replay/replay.store.ts'
import { useStatusStore } from '../../shared/status/status.store.ts'
import { startPolling } from '../../shared/time/polling.ts'
import { createEventDetail } from './event-detail.ts'
import { type FilterFields, fieldsToQuery, queryToFields, readFields } from './event-filter.ts'
import { createHoles } from './event-holes.ts'
import { indexOfSeq } from './event-rows.ts'
import { createEventStream } from './event-stream.ts'
import { placeHoles } from './hole-bands.ts'
import { createViewHold } from './view-hold.ts'

/** How often the holes are read while the page is looked at, milliseconds; a change of the listener reads them at once. */
const holesRefreshMs = 30_000
/** The same while a replay runs, in which holes begin and end with its clock. */
const replayedHolesRefreshMs = 1_000

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
 * The Live events page: the address's filter, the stream of it, the row in use and its details. Lives with the view, which has one
 * source for its whole life: the live record, or the replay that runs when it is made.
 */
export function useLiveEvents() {
  const rpc = useRpc()
  const route = useRoute()
  const router = useRouter()
  const statusStore = useStatusStore()
  const visibility = useDocumentVisibility()

  const replays = useReplayStore()
  const isReplay = replays.replay !== null
  const source = (client: Client) => (isReplay ? client.replay : client.events)
  const record = { events: source(rpc.client) }

  const stream = createEventStream({ rpc, schedule: onNextFrame(), source })
  const hold = createViewHold(stream)
  const holes = createHoles(record)
  const detail = createEventDetail(record)
  const activeSeq = shallowRef<number | null>(null)

  const fields = computed<FilterFields>({
    get: () => queryToFields(route.query),
    set: (next) => void router.replace({ query: fieldsToQuery(next) }),
  })
  const region = useRegion()
  const reading = computed(() => readFields(fields.value, region.value))
  /** Null while the filter cannot be understood: then nothing is asked for. */
  const filterKey = computed(() => (reading.value.filter ? JSON.stringify(reading.value.filter) : null))

  let stopStream = () => {}
  watch(
    // A clock that was set goes on elsewhere: what was read before does not join what follows.
    [filterKey, () => replays.replay?.jump],
    () => {
      stopStream()
      if (isReplay && !replays.replay) return
      const { filter } = reading.value
      stopStream = filter ? stream.start(filter) : () => {}
    },
    { immediate: true },
  )
  onScopeDispose(() => stopStream())

  const visible = computed(() => visibility.value === 'visible')
  let stopHoles = () => {}
  watch(
    [() => statusStore.listener?.state, () => replays.replay?.jump],
    () => {
      stopHoles()
      if (isReplay && !replays.replay) return
      const periodMs = isReplay ? replayedHolesRefreshMs : holesRefreshMs
      stopHoles = startPolling(holes.refresh, () => periodMs, { visible })
    },
    { immediate: true },
  )
  onScopeDispose(() => stopHoles())

  const bands = computed(() =>
    placeHoles(stream.rows.value, holes.holes.value ?? [], stream.older.value.kind === 'end', fields.value),
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
    isReplay,
    record,
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
