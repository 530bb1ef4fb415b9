import type { ErrorView } from '#contract/define.ts'
import { type Conversation, type InboxState, whichConversations } from '#contract/live/inbox.ts'
import { hasCountry, isNumberLike } from '#contract/number-text.ts'
import { type ComputedRef, computed, shallowRef } from 'vue'
import * as z from 'zod'
import { useRpc } from '../../rpc/rpc.ts'
import { useNumberRegion } from '../../shared/numbers/use-number-region.ts'
import { addressText } from '../../shared/list/use-address-filter.ts'
import { useListQuery } from '../../shared/list/use-list-query.ts'
import { useStatusStore } from '../../shared/status/status.store.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'

const firstRows = 60
const furtherRows = 200

/** The page’s filter in the address. `sender` is the open conversation. */
export const inboxFilterSchema = z.object({
  show: z.enum(whichConversations).catch('all'),
  text: addressText,
  sender: z.string().min(1).max(300).nullable().catch(null),
})

/** Keeps the open conversation in its place when the list no longer has it. */
export function withKept(rows: readonly Conversation[], kept: Conversation | null): readonly Conversation[] {
  if (kept === null || rows.some(({ sender }) => sender === kept.sender)) return rows
  const at = rows.findIndex(({ last }) => last.seq < kept.last.seq)
  return at < 0 ? [...rows, kept] : [...rows.slice(0, at), kept, ...rows.slice(at)]
}

/** The conversations of a filter, updated in place as messages arrive. */
export function useInbox(filter: ComputedRef<z.infer<typeof inboxFilterSchema>>) {
  const rpc = useRpc()
  const status = useStatusStore()
  const region = useNumberRegion()
  const keyOf = useQueryKey()
  const state = shallowRef<InboxState | null>(null)
  const lost = shallowRef<ErrorView | null>(null)
  const which = computed(() => filter.value.show)
  const text = computed(() => filter.value.text.trim())
  const home = computed(() =>
    isNumberLike(text.value) && !hasCountry(text.value) ? (region.value ?? undefined) : undefined,
  )

  const query = useListQuery({
    key: () => keyOf('inbox', which.value, text.value, home.value),
    read: (cursor: number | undefined, signal) =>
      rpc.client.inbox.list(
        {
          which: which.value,
          limit: cursor === undefined ? firstRows : furtherRows,
          ...(text.value && { text: text.value }),
          ...(home.value && { region: home.value }),
          ...(cursor !== undefined && { cursor }),
        },
        { signal },
      ),
  })

  const kept = computed<Conversation | null>((before) => {
    const { sender } = filter.value
    if (sender === null) return null
    return (
      query.rows.value.find((row) => row.sender === sender) ?? (before?.sender === sender ? before : null)
    )
  })
  // A conversation read under the unread filter stays until it is closed. One whose possible opt-outs are answered leaves.
  const rows = computed(() =>
    which.value === 'unread' || which.value === 'opt-outs'
      ? withKept(query.rows.value, kept.value)
      : query.rows.value,
  )

  function take(next: InboxState): void {
    const before = state.value
    state.value = next
    status.note({ unreadConversations: next.unread })
    lost.value = null
    const isSame =
      before === null ||
      (next.upToSeq === before.upToSeq &&
        next.unread === before.unread &&
        next.marksVersion === before.marksVersion &&
        next.possibleOptOuts === before.possibleOptOuts &&
        next.conversations === before.conversations)
    if (!isSame) void query.update()
  }

  rpc.subscribe((client, signal) => client.inbox.watch(undefined, { signal }), {
    onItem: take,
    onLost: (error) => (lost.value = error),
  })

  return {
    query: {
      ...query,
      isPending: computed(
        () => query.isPending.value || (rows.value.length === 0 && state.value?.behind === true),
      ),
    },
    rows,
    state,
    /** As the navigation counts it. */
    unread: computed(() => status.status?.unreadConversations ?? 0),
    lost,
  }
}
