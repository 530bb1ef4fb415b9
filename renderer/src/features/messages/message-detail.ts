import type { ErrorView } from '#contract/define.ts'
import type { MessageDetail } from '#contract/views/messages.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

/** The drawer’s content. `error` if the core did not answer. */
export type DetailState =
  | { kind: 'closed' }
  | { kind: 'open'; id: string; detail: MessageDetail | null; busy: boolean; error: ErrorView | null }

/** While the service is slow, its cached answer is shown and requested again: delay in milliseconds, and how often. */
const askAgainMs = 1_500
const askAgainMax = 8

/** Shows one message at a time. Answers about another one are dropped. */
export function createMessageDetail(
  client: Pick<Client, 'messages'>,
  onAnswer: (detail: MessageDetail) => void,
): {
  state: Readonly<ShallowRef<DetailState>>
  /** Shows this ID, with what is known until it is loaded. */
  show(id: string, known: MessageDetail | null): Promise<void>
  /** Loads it again. In the `background`, clicks have priority, and nothing happens while it is loading. */
  refresh(background?: boolean): Promise<void>
  close(): void
} {
  const state = shallowRef<DetailState>({ kind: 'closed' })
  let latest = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function read(id: string, again = 0, background = false): Promise<void> {
    clearTimeout(timer)
    const mine = ++latest
    const isMine = () => mine === latest && state.value.kind === 'open'
    if (state.value.kind === 'open' && !background) state.value = { ...state.value, busy: true }
    const answer = await attempt(client.messages.get({ id, several: background }))
    if (!isMine() || state.value.kind !== 'open') return
    if (!answer.ok) {
      state.value = { ...state.value, busy: false, error: answer.error }
      return
    }
    const detail = answer.value
    const isPending = detail.freshness?.source === 'cache' && detail.problem === null
    state.value = { kind: 'open', id, detail, busy: isPending, error: null }
    onAnswer(detail)
    if (isPending && again < askAgainMax)
      timer = setTimeout(() => isMine() && void read(id, again + 1), askAgainMs)
  }

  return {
    state,
    show(id, known) {
      state.value = { kind: 'open', id, detail: known, busy: true, error: null }
      return read(id)
    },
    async refresh(background = false) {
      if (state.value.kind !== 'open' || (background && state.value.busy)) return
      await read(state.value.id, 0, background)
    },
    close() {
      latest++
      clearTimeout(timer)
      state.value = { kind: 'closed' }
    },
  }
}
