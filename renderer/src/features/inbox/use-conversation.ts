import type { InboxState } from '#contract/inbox.ts'
import type { SentMessage } from '#contract/sent.ts'
import { type Ref, onScopeDispose, shallowRef, watch } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { startPolling } from '../../shared/time/polling.ts'
import { createPagedList } from '../../shared/state/paged-list.ts'

/** A conversation counts as read after it was in sight for this long, milliseconds. */
const readAfterMs = 800
const pageRows = 60
/** How often messages that are under way are read again, milliseconds. */
const underWayMs = 3_000
/** Messages that are read again at most when another comes: those that were loaded stay. */
const mostRows = 200

/** One conversation: its messages, read anew as they come, and marked as read once they were in sight. */
export function useConversation(
  sender: string,
  state: Ref<InboxState | null>,
  visible: Readonly<Ref<boolean>>,
) {
  const { client } = useRpc()
  const readUpTo = shallowRef(0)
  /** Set back to unread by hand: it is not marked as read while it stays open. */
  let isKeptUnread = false
  /** What was sent to the number from here; it comes with the first page. */
  const sent = shallowRef<readonly SentMessage[]>([])
  const list = createPagedList(async (cursor: number | undefined, signal) => {
    const answer = await client.inbox.get(
      {
        sender,
        limit: cursor === undefined ? Math.max(pageRows, Math.min(shown, mostRows)) : pageRows,
        ...(cursor === undefined ? {} : { cursor }),
      },
      { signal },
    )
    if (cursor === undefined && !signal.aborted) sent.value = answer.sent
    return answer
  })
  let shown = 0
  function restart(): Promise<void> {
    shown = list.state.value.rows.length
    return list.restart()
  }
  /** Messages of others are no reason to read these again. */
  async function follow(): Promise<void> {
    const { answer, phase } = list.state.value
    if (answer === null || phase === 'failed') return restart()
    const told = await attempt(client.inbox.get({ sender, limit: 1 }))
    if (told.ok && told.value.conversation.last.seq === answer.conversation.last.seq) return
    await restart()
  }
  void restart()
  /** What becomes of a message that is under way is read until it has come to its end. */
  onScopeDispose(
    startPolling(
      async () => {
        if (!sent.value.some(({ endedAt }) => endedAt === null)) return
        const told = await attempt(client.inbox.get({ sender, limit: 1 }))
        if (told.ok) sent.value = told.value.sent
      },
      () => underWayMs,
      { visible },
    ),
  )
  watch(
    () => state.value?.upToSeq,
    (next, before) => {
      if (before !== undefined && next !== before) void follow()
    },
  )

  let timer: ReturnType<typeof setTimeout> | undefined
  watch(
    [() => list.state.value.answer?.conversation, visible],
    ([conversation, isVisible]) => {
      clearTimeout(timer)
      if (!conversation || !isVisible || isKeptUnread) return
      const { seq } = conversation.last
      if (conversation.unread === 0 || seq <= readUpTo.value) return
      timer = setTimeout(() => {
        readUpTo.value = seq
        // Where it fails the conversation stays unread, which is true.
        void attempt(client.inbox.markRead({ sender, upToSeq: seq })).then((answer) => {
          if (!answer.ok) readUpTo.value = 0
        })
      }, readAfterMs)
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))

  return {
    list: list.state,
    sent,
    restart,
    loadMore: list.loadMore,
    markUnread() {
      isKeptUnread = true
      clearTimeout(timer)
      return attempt(client.inbox.markUnread({ sender }))
    },
  }
}
