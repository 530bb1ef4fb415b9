import type { Conversation, InboxState, WhichConversations } from '#contract/inbox.ts'
import type { ErrorView } from '#contract/define.ts'
import { hasCountry, isNumberLike } from '#contract/number-text.ts'
import { type ShallowRef, computed, shallowRef } from 'vue'
import { type Client, useRpc } from '../../rpc/rpc.ts'
import { useRegion } from '../../shared/format/regions.ts'
import { createPagedList } from '../../shared/state/paged-list.ts'

/** Rows of the first page, and the most that is read again by itself when something arrives. */
const firstRows = 60
const mostRows = 200

type Answer = Awaited<ReturnType<Client['inbox']['list']>>

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
  const region = useRegion()
  const state = shallowRef<InboxState | null>(null)
  const lost = shallowRef<ErrorView | null>(null)
  let shown = 0

  const list = createPagedList(async (cursor: number | undefined, signal) => {
    const { which, text } = query.value
    const limit = cursor === undefined ? Math.max(firstRows, Math.min(shown, mostRows)) : mostRows
    const sought = {
      ...(text === '' ? {} : { text }),
      ...(isNumberLike(text) && !hasCountry(text) ? { region: region.value } : {}),
    }
    const answer = await rpc.client.inbox.list(
      { which, limit, ...sought, ...(cursor === undefined ? {} : { cursor }) },
      { signal },
    )
    return cursor === undefined ? withTail(answer) : answer
  })

  /** The first rows read anew, with those behind them that were loaded before: nothing moves under the operator's hand. */
  function withTail(answer: Answer): Answer {
    const { rows, more } = list.state.value
    const oldest = answer.items.at(-1)?.last.seq
    if (shown <= mostRows || answer.nextCursor === null || oldest === undefined) return answer
    const anew = new Set(answer.items.map(({ sender }) => sender))
    const tail = rows
      .filter(({ sender, last }) => last.seq < oldest && !anew.has(sender))
      .map((row) => (answer.state.unread === 0 ? { ...row, unread: 0 } : row))
    const last = tail.at(-1)
    if (!last) return answer
    return {
      ...answer,
      items: [...answer.items, ...tail],
      nextCursor: more === 'none' ? null : last.last.seq,
    }
  }

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
    void restart()
  }

  return {
    list: list.state,
    rows,
    kept,
    state,
    lost,
    /** Another filter: from its start. */
    ask() {
      shown = 0
      return list.ask()
    },
    restart,
    loadMore: list.loadMore,
    /** Follows the core until the returned stop is called. */
    start: () =>
      rpc.subscribe((client, signal) => client.inbox.watch(undefined, { signal }), {
        onItem: take,
        onLost: (error) => (lost.value = error),
      }),
  }
}
