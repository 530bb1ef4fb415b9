import type { Freshness } from '#contract/define.ts'
import {
  type MessageDetail,
  type MessageLookup,
  type ReportedHere,
  messageIdsMax,
} from '#contract/views/messages.ts'
import { hasEnded } from '#contract/words.ts'
import { useDocumentVisibility } from '@vueuse/core'
import { type Ref, type ShallowRef, computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { attempt } from '../../rpc/error-view.ts'
import { type Client, useRpc } from '../../rpc/rpc.ts'
import { startPolling } from '../../shared/time/polling.ts'
import { createMessageDetail } from './message-detail.ts'
import { useMessageList } from './message-list.ts'
import { type LookupState, createLookup } from './message-lookup.ts'
import {
  type RowFilter,
  canRelease,
  filterRows,
  listedRow,
  lookedUpRow,
  statusCounts,
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

/** Newer delivery reports for the answers of a lookup, by ID; refreshed while `looked` at. */
function createReportedHere(
  client: Pick<Client, 'messages'>,
  lookup: () => LookupState,
  looked: Readonly<Ref<boolean>>,
): {
  state: Readonly<ShallowRef<ReadonlyMap<string, ReportedHere>>>
  read(): Promise<void>
  end(): void
} {
  const state: ShallowRef<ReadonlyMap<string, ReportedHere>> = shallowRef(new Map())

  async function read(): Promise<void> {
    const answers = answersOf(lookup()).slice(0, messageIdsMax)
    if (answers.length === 0) return
    const answer = await attempt(client.messages.reportedHere({ answers }))
    if (answer.ok) state.value = new Map(answer.value.reports.map((report) => [report.id, report]))
  }

  return { state, read, end: startPolling(read, () => askEveryMs, { visible: looked }) }
}

/** What the table shows: the service’s list, or the last lookup. */
export type MessagesShown = 'list' | 'lookup'

/** How often the open message is refreshed until its status is final, milliseconds. Three requests a minute. */
const followMs = 20_000

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

/** The page’s state for one visit. The address has the open message. */
export function useMessages() {
  const { client } = useRpc()
  const route = useRoute()
  const router = useRouter()
  const shown = ref<MessagesShown>('list')
  const recent = shallowRef<readonly MessageLookup[]>([])
  const recentAt = ref<string | null>(null)
  const chosen = shallowRef<ReadonlySet<string>>(new Set())
  const filter = shallowRef<RowFilter>({ text: '', statuses: [] })

  async function readRecent(): Promise<void> {
    const answer = await attempt(client.messages.recent())
    if (!answer.ok) return
    recent.value = answer.value.lookups
    recentAt.value = new Date().toISOString()
  }

  function know(detail: MessageDetail): void {
    if (detail.record && detail.outcome === 'found') list.know(detail.record)
    lookup.know(detail)
  }
  const list = useMessageList()
  const lookup = createLookup(client, (detail) => {
    if (detail.record && detail.outcome === 'found') list.know(detail.record)
  })
  const detail = createMessageDetail(client, (answer) => {
    know(answer)
    void readRecent()
  })
  const release = createReleaseMessages(client, ({ messageId, state, statusAfter }) => {
    if (statusAfter !== null) {
      list.setStatus(messageId, statusAfter)
      lookup.setStatus(messageId, statusAfter)
    }
    if ((state === 'released' || state === 'not-held') && chosen.value.has(messageId)) toggle(messageId)
    const open = detail.state.value
    if (open.kind === 'open' && open.id === messageId) void detail.refresh()
  })
  const visibility = useDocumentVisibility()
  const stopFollowing = startPolling(
    async () => {
      const open = detail.state.value
      const record = open.kind === 'open' ? open.detail?.record : null
      if (record && !hasEnded(record.status)) await detail.refresh(true)
    },
    () => followMs,
    { visible: computed(() => visibility.value === 'visible') },
  )
  const reported = createReportedHere(
    client,
    () => lookup.state.value,
    computed(() => shown.value === 'lookup' && visibility.value === 'visible'),
  )
  onScopeDispose(() => {
    stopFollowing()
    reported.end()
    lookup.stop()
    detail.close()
    release.end()
  })

  const all = computed(() => {
    if (shown.value === 'list') return list.list.value.rows.map(listedRow)
    const { ids, results, phase } = lookup.state.value
    return ids.map((id) => lookedUpRow(id, results.get(id), phase === 'ended', reported.state.value.get(id)))
  })
  const rows = computed(() => filterRows(all.value, filter.value))
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
    all.value.filter((row) => chosen.value.has(row.id) && canRelease(row)).map(({ id }) => id),
  )
  const shownReleasable = computed(() => rows.value.filter(canRelease))
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
    filter.value = { text: '', statuses: [] }
    chosen.value = new Set()
  }

  async function lookUp(ids: readonly string[]): Promise<void> {
    shown.value = 'lookup'
    clear()
    if (ids.length === 1) openId.value = ids[0]!
    await lookup.start(ids)
    await Promise.all([reported.read(), readRecent()])
  }

  /** The open message. */
  const openId = computed({
    get: () => textOf(route.query['id']),
    set: (id) => void router.push({ query: id === null ? {} : { id } }),
  })
  watch(
    openId,
    (id) => {
      if (id === null) return detail.close()
      const answered = lookup.state.value.results.get(id)
      void detail.show(id, answered?.kind === 'answered' ? answered.detail : null)
    },
    { immediate: true },
  )

  function toggle(id: string): void {
    const next = new Set(chosen.value)
    if (!next.delete(id)) next.add(id)
    chosen.value = next
  }

  async function forget(id?: string): Promise<void> {
    await attempt(client.messages.forget(id === undefined ? {} : { id }))
    await readRecent()
  }

  void readRecent()
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
    recent,
    recentAt,
    lookedUpFreshness,
    forget,
    rows,
    all,
    filter,
    statuses,
    chosen,
    toggle,
    chooseShown: () => (chosen.value = new Set(shownReleasable.value.map(({ id }) => id))),
    clearSelection: () => (chosen.value = new Set()),
    releasable,
    shownReleasable,
    detail,
    openId,
    release,
  }
}
