import type { Client } from '../../rpc/rpc.ts'
import type { HistorySpan } from '#contract/campaigns.ts'
import type { ErrorView } from '#contract/define.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'

/** All that is known of one campaign. */
export type CampaignDetail = Awaited<ReturnType<Client['campaigns']['detail']>>

/** `detail` is of `id`, or null; `error` says why the last reading failed. */
export interface DetailState {
  id: string | null
  detail: CampaignDetail | null
  error: ErrorView | null
  busy: boolean
}

/** The campaign that is open beside the list. */
export interface DetailSource {
  state: Readonly<ShallowRef<DetailState>>
  /** Opens another one, or none. */
  open(id: string | null): void
  /** How far back the history goes from now on. */
  span: ShallowRef<HistorySpan>
  /** Reads it again; `poll` as a page that asks again and again. */
  read(poll?: boolean): Promise<void>
}

/** Only the answer to the latest question counts. */
export function createDetailSource(client: Pick<Client, 'campaigns'>): DetailSource {
  const state = shallowRef<DetailState>({ id: null, detail: null, error: null, busy: false })
  const span = shallowRef<HistorySpan>('1h')
  let question = 0

  async function read(poll = false): Promise<void> {
    const { id } = state.value
    if (id === null) return
    const mine = ++question
    state.value = { ...state.value, busy: true }
    const answer = await attempt(client.campaigns.detail({ id, span: span.value, poll }))
    if (mine !== question) return
    state.value = answer.ok
      ? { id, detail: answer.value, error: null, busy: false }
      : { ...state.value, error: answer.error, busy: false }
  }

  return {
    state,
    span,
    read,
    open(id) {
      if (id === state.value.id) return
      question++
      state.value = { id, detail: null, error: null, busy: false }
      void read()
    },
  }
}
