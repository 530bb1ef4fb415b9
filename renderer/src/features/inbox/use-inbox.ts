import type { Conversation, InboxState, WhichConversations } from '#contract/inbox.ts'
import type { ErrorView } from '#contract/define.ts'
import { type ShallowRef, computed, shallowRef } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { createPagedList } from '../../shared/state/paged-list.ts'

/** Rows of the first page, and the most that is read again by itself when something arrives. */
const firstRows = 60
const mostRows = 200

/** What the list is to show. */
export interface InboxQuery {
  which: WhichConversations
  text: string
  /** The conversation that is open. It keeps its place while it is, also when it was read and only unread ones are shown. */
  open: string | null
}

/** Puts the open conversation where it belongs in a list that does not have it any more. */
export function withKept(rows: readonly Conversation[], kept: Conversation | null): readonly Conversation[] {
  if (kept === null || rows.some(({ sender }) => sender === kept.sender)) return rows
  const at = rows.findIndex(({ last }) => last.seq < kept.last.seq)
  return at < 0 ? [...rows, kept] : [...rows.slice(0, at), kept, ...rows.slice(at)]
}

/** The conversations as the core keeps them: read anew as messages come, so far as that moves nothing under the operator's hand. */
export function useInbox(query: Readonly<ShallowRef<InboxQuery>>) {
  const rpc = useRpc()
  const state = shallowRef<InboxState | null>(null)
  const lost = shallowRef<ErrorView | null>(null)
  /** Something came while too many rows stood here to read them all again. */
  const isBehind = shallowRef(false)
  let shown = 0

  const list = createPagedList((cursor: number | undefined, signal) => {
    const { which, text } = query.value
    const limit = cursor === undefined ? Math.max(firstRows, Math.min(shown, mostRows)) : mostRows
    return rpc.client.inbox.list(
      { which, limit, ...(text === '' ? {} : { text }), ...(cursor === undefined ? {} : { cursor }) },
      { signal },
    )
  })

  const kept = computed<Conversation | null>((before) => {
    const { open } = query.value
    if (open === null) return null
    return (
      list.state.value.rows.find(({ sender }) => sender === open) ?? (before?.sender === open ? before : null)
    )
  })
  const rows = computed(() => {
    const all = list.state.value.rows
    return query.value.which === 'all' ? all : withKept(all, kept.value)
  })

  async function restart(): Promise<void> {
    shown = list.state.value.rows.length
    isBehind.value = false
    await list.restart()
  }

  function take(next: InboxState): void {
    const before = state.value
    state.value = next
    lost.value = null
    if (before === null) return
    if (
      next.upToSeq === before.upToSeq &&
      next.unread === before.unread &&
      next.conversations === before.conversations
    )
      return
    if (list.state.value.rows.length > mostRows) isBehind.value = true
    else void restart()
  }

  return {
    list: list.state,
    rows,
    kept,
    state,
    lost,
    isBehind,
    /** Another filter: from its start. */
    ask() {
      shown = 0
      isBehind.value = false
      return list.ask()
    },
    restart,
    /** The first rows alone, with all that came. */
    catchUp() {
      shown = 0
      isBehind.value = false
      return list.restart()
    },
    loadMore: list.loadMore,
    /** Follows the core until the returned stop is called. */
    start: () =>
      rpc.subscribe((client, signal) => client.inbox.watch(undefined, { signal }), {
        onItem: take,
        onLost: (error) => (lost.value = error),
      }),
  }
}
