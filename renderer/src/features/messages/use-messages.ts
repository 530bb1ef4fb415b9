import type { Freshness } from '#contract/define.ts'
import { type MessageDetail, messageIdsMax } from '#contract/views/messages.ts'
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useRpc } from '../../rpc/rpc.ts'
import { createRowSelection } from '../../shared/list/row-selection.ts'
import { useAnswer } from '../../shared/query/use-answer.ts'
import { useMessageDetail } from './message-detail.ts'
import { useMessageList } from './message-list.ts'
import { type LookupState, createLookup } from './message-lookup.ts'
import {
  type MessageRow,
  type RowFilter,
  canRelease,
  everyRow,
  filterRows,
  isLikelyHeld,
  listedRow,
  lookedUpRow,
  statusCounts,
  toRelease,
} from './message-rows.ts'
import { createReleaseMessages } from './release-messages.ts'

/** How often local events are checked for newer reports, milliseconds. Sends nothing to the service. */
const askEveryMs = 5_000

/** The answers of a lookup that have a record. */
const answersOf = ({ results }: LookupState) =>
  [...results].flatMap(([id, result]) =>
    result.kind === 'answered' && result.detail.record !== null
      ? [{ id, status: result.detail.record.status }]
      : [],
  )

/** What the table shows: the service’s list, or the last lookup. */
type MessagesShown = 'list' | 'lookup'

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

/** The page’s state for one visit. The address has the open message. */
export function useMessages() {
  const { client } = useRpc()
  const route = useRoute()
  const router = useRouter()
  const shown = ref<MessagesShown>('list')
  const selection = createRowSelection<string>()
  const filter = shallowRef<RowFilter>(everyRow)

  const openId = computed({
    get: () => textOf(route.query['id']),
    set: (id) => void router.push({ query: id === null ? {} : { id } }),
  })

  function know(detail: MessageDetail): void {
    if (detail.record && detail.outcome === 'found') list.know(detail.record)
    lookup.know(detail)
  }
  const list = useMessageList()
  const lookup = createLookup(client, (detail) => {
    if (detail.record && detail.outcome === 'found') list.know(detail.record)
  })
  const detail = useMessageDetail({
    openId: () => openId.value,
    known(id) {
      const result = lookup.state.value.results.get(id)
      return result?.kind === 'answered' ? result.detail : null
    },
    onAnswer: know,
  })
  const release = createReleaseMessages(client, ({ messageId, state, statusAfter }) => {
    if (statusAfter !== null) {
      list.setStatus(messageId, statusAfter)
      lookup.setStatus(messageId, statusAfter)
    }
    if (state === 'released' || state === 'not-held') selection.set([messageId], false)
    if (openId.value === messageId) detail.refresh()
  })
  /** Newer delivery reports for the answers of the lookup. */
  const reported = useAnswer(
    () => ['reported-here'],
    (client, signal) =>
      client.messages.reportedHere(
        { answers: answersOf(lookup.state.value).slice(0, messageIdsMax) },
        { signal },
      ),
    () => ({ enabled: shown.value === 'lookup', refetchInterval: askEveryMs, gcTime: 0 }),
  )
  const reports = computed(() => new Map(reported.data.value?.reports.map((report) => [report.id, report])))
  onScopeDispose(() => {
    lookup.stop()
    release.end()
  })

  const all = computed(() => {
    if (shown.value === 'list') {
      const { rows: listed, campaigns } = list.list.value
      return listed.map((record) => listedRow(record, campaigns.get(record.batchId) ?? null))
    }
    const { ids, results, phase } = lookup.state.value
    return ids.map((id) => lookedUpRow(id, results.get(id), phase === 'ended', reports.value.get(id)))
  })
  /** Each answer of a lookup has its own age. */
  const isHeld = (row: MessageRow) =>
    isLikelyHeld(row, row.freshness?.asOf ?? list.list.value.freshness?.asOf ?? null)
  const rows = computed(() => filterRows(all.value, filter.value, isHeld))
  const statuses = computed(() => statusCounts(all.value))
  /** Of the oldest answer of the lookup; null without one. */
  const lookedUpFreshness = computed<Freshness | null>(() => {
    if (shown.value === 'list') return null
    const known = all.value.flatMap(({ freshness }) => freshness ?? [])
    return known.reduce<Freshness | null>(
      (oldest, one) => (oldest && Date.parse(oldest.asOf) <= Date.parse(one.asOf) ? oldest : one),
      null,
    )
  })
  /** Selected messages that can still be released. */
  const releasable = computed(() =>
    all.value.filter((row) => selection.has(row.id) && canRelease(row)).map(toRelease),
  )
  /** Selected together. One in transit can only be selected alone. */
  const shownHeld = computed(() => rows.value.filter(isHeld))
  const progress = computed(() => {
    const { phase, ids, results } = lookup.state.value
    if (phase !== 'running') return null
    const done = [...results.values()].filter(({ kind }) => kind === 'answered' || kind === 'lost').length
    return { done, total: ids.length }
  })

  function show(next: MessagesShown): void {
    if (shown.value === next) return
    shown.value = next
    clear()
  }

  function clear(): void {
    filter.value = everyRow
    selection.clear()
  }

  async function lookUp(ids: readonly string[]): Promise<void> {
    shown.value = 'lookup'
    clear()
    if (ids.length === 1) openId.value = ids[0]!
    await lookup.start(ids)
    await reported.refetch()
  }

  void release.showRun(textOf(route.query['run']) ?? undefined)
  watch(
    () => textOf(route.query['run']),
    (runId) => runId !== null && void release.showRun(runId),
  )

  return {
    shown,
    show,
    list,
    lookup,
    lookUp,
    progress,
    lookedUpFreshness,
    rows,
    all,
    filter,
    statuses,
    selection,
    toggle: (id: string) => void selection.set([id], !selection.has(id)),
    chooseShown() {
      selection.clear()
      selection.set(
        shownHeld.value.map(({ id }) => id),
        true,
      )
    },
    releasable,
    held: computed(() => all.value.filter(isHeld).length),
    shownHeld,
    detail,
    openId,
    release,
  }
}
