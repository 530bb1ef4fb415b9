import { type Ref, computed, onScopeDispose, watch, shallowRef } from 'vue'
import type { InboxState, WorkState } from '#contract/live/inbox.ts'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { useListQuery } from '../../shared/list/use-list-query.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'
import { startPolling } from '../../shared/time/polling.ts'
import type { EventRow } from '#contract/live/events.ts'

/** How long a search may take, and the time between two, milliseconds. */
const patienceMs = 500
const refreshMs = 5_000
/** The newest ones are kept. */
const keptMax = 400

const digitsOf = (number: string | null) => number?.replace(/\D/g, '')

/** Delivery reports of messages to a number, newest first: as many as a short search finds, and those that arrive. */
export function useSentReports(phone: Readonly<Ref<string | null>>, visible: Readonly<Ref<boolean>>) {
  const { client } = useRpc()
  const reports = shallowRef<readonly EventRow[]>([])

  watch(
    phone,
    (number, _before, onCleanup) => {
      reports.value = []
      if (number === null) return
      /** Only what came since the last search is searched. */
      let from: string | undefined
      async function read(signal: AbortSignal): Promise<void> {
        const filter = { kinds: ['dlr' as const], number: number!, ...(from && { from }) }
        const { items, asOf } = await client.events.search({ filter, limit: 200, patienceMs }, { signal })
        // Events are stored a little after they arrive.
        from = new Date(Date.parse(asOf) - 2 * refreshMs).toISOString()
        // The search also finds longer numbers.
        const known = new Set(reports.value.map(({ seq }) => seq))
        const fresh = items.filter((row) => !known.has(row.seq) && digitsOf(row.number) === digitsOf(number))
        if (fresh.length > 0)
          reports.value = [...fresh, ...reports.value].sort((a, b) => b.seq - a.seq).slice(0, keptMax)
      }
      onCleanup(startPolling(read, () => refreshMs, { visible }))
    },
    { immediate: true },
  )
  return reports
}

/** A conversation counts as read after it was visible this long, milliseconds. */
const readAfterMs = 800
/** Refresh interval of unfinished sent messages, milliseconds. */
const unfinishedMs = 3_000

/** One conversation: updated as messages arrive, and marked as read once visible. */
export function useConversation(
  sender: string,
  state: Ref<InboxState | null>,
  visible: Readonly<Ref<boolean>>,
) {
  const { client } = useRpc()
  const keyOf = useQueryKey()
  const query = useListQuery({
    key: keyOf('conversation', sender),
    read: (cursor: number | undefined, signal) =>
      client.inbox.get({ sender, ...(cursor !== undefined && { cursor }) }, { signal }),
  })
  const conversation = computed(() => query.first.value?.conversation ?? null)
  /** Messages sent to the number from Switchboard. */
  const sent = computed(() => query.first.value?.sent ?? [])

  const reports = useSentReports(
    computed(() => conversation.value?.phone ?? null),
    visible,
  )

  onScopeDispose(
    startPolling(
      async () => {
        if (sent.value.some(({ endedAt }) => endedAt === null)) await query.update()
      },
      () => unfinishedMs,
      { visible },
    ),
  )
  watch(
    () => state.value && `${state.value.upToSeq} ${state.value.marksVersion}`,
    (next, before) => {
      if (before !== null && next !== before) void query.update()
    },
  )

  let readUpTo = 0
  /** Marked unread: it isn’t marked as read again while it stays open. */
  let isKeptUnread = false
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(
    [conversation, visible],
    ([shown, isVisible]) => {
      clearTimeout(timer)
      if (!shown || !isVisible || isKeptUnread) return
      const { seq } = shown.last
      if (shown.unread === 0 || seq <= readUpTo) return
      timer = setTimeout(() => {
        readUpTo = seq
        // If this fails, the conversation correctly stays unread.
        void attempt(client.inbox.markRead({ sender, upToSeq: seq })).then((answer) => {
          if (!answer.ok) readUpTo = 0
        })
      }, readAfterMs)
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))

  return {
    query,
    conversation,
    sent,
    reports,
    /** Messages that may be opt-outs and wait for an answer, newest first. */
    possible: computed(() => query.first.value?.possibleOptOuts ?? []),
    optedOut: computed(() => query.first.value?.optedOut ?? null),
    note: computed(() => query.first.value?.note ?? ''),
    noteVersions: computed(() => query.first.value?.noteVersions ?? []),
    setWork: (next: WorkState, upToSeq: number) => client.inbox.setWork({ sender, state: next, upToSeq }),
    setNote: (text: string) => client.inbox.setNote({ sender, text }),
    markUnread() {
      isKeptUnread = true
      clearTimeout(timer)
      return client.inbox.markUnread({ sender })
    },
  }
}
