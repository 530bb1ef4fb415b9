import type { ErrorView } from '#contract/define.ts'
import type { MessageDetail } from '#contract/views/messages.ts'
import { hasEnded } from '#contract/words.ts'
import { computed, ref, watch } from 'vue'
import { useAnswer } from '../../shared/query/use-answer.ts'

/** The drawer’s content. `error` if the core did not answer. */
export interface DetailState {
  id: string
  detail: MessageDetail | null
  busy: boolean
  error: ErrorView | null
}

/** While the service is slow, its cached answer is shown and requested again: delay in milliseconds, and how often. */
const askAgainMs = 1_500
const askAgainMax = 8
/** How often the open message is refreshed until its status is final, milliseconds. Three requests a minute. */
const followMs = 20_000

const isPending = (detail: MessageDetail | undefined): boolean =>
  detail?.freshness?.source === 'cache' && detail.problem === null

/** The message with this ID, with what is `known` of it until it is loaded. */
export function useMessageDetail(parts: {
  openId: () => string | null
  known: (id: string) => MessageDetail | null
  onAnswer: (detail: MessageDetail) => void
}) {
  const { openId, known, onAnswer } = parts
  /** The next request is the operator’s: a message was opened, perhaps the same as before, or refreshed. */
  let isClicked = true
  let tries = 0
  /** Only followed: clicks go first. */
  const isFollowed = ref(false)
  watch(openId, () => (isClicked = true), { flush: 'sync' })
  const query = useAnswer(
    () => ['message', openId()],
    async (client, signal): Promise<MessageDetail> => {
      const id = openId()!
      tries = isClicked ? 0 : tries + 1
      isFollowed.value = !isClicked && !isPending(query.data.value)
      isClicked = false
      const detail = await client.messages.get({ id, several: isFollowed.value }, { signal })
      if (!signal.aborted) onAnswer(detail)
      return detail
    },
    () => ({
      enabled: openId() !== null,
      refetchInterval(detail) {
        if (isPending(detail) && tries < askAgainMax) return askAgainMs
        return detail?.record && !hasEnded(detail.record.status) ? followMs : false
      },
      gcTime: 0,
    }),
  )
  return {
    /** Null while no message is open. */
    state: computed<DetailState | null>(() => {
      const id = openId()
      if (id === null) return null
      const { data, problem, isFetching } = query
      return {
        id,
        detail: data.value ?? known(id),
        busy: (isFetching.value && !isFollowed.value) || isPending(data.value),
        error: problem.value,
      }
    }),
    refresh(): void {
      isClicked = true
      void query.refetch()
    },
  }
}
