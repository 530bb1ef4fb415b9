import type { Client } from '../../rpc/rpc.ts'
import type { Campaign } from '#contract/domain.ts'
import type { HistorySpan } from '#contract/campaigns.ts'
import type { ErrorView, Freshness } from '#contract/define.ts'
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
  /** Takes in a record that came another way, unless what is shown was read later. */
  know(campaign: Campaign, readAt: string): void
  /** Reads it again; `poll` as a page that asks again and again. */
  read(poll?: boolean): Promise<void>
}

/** A record with its age. */
export interface AgedCampaign {
  campaign: Campaign
  freshness: Freshness
}

/** The one of two records that was read later; the first where neither was. */
export function newerOf(a: AgedCampaign | null, b: AgedCampaign | null): AgedCampaign | null {
  if (a === null || b === null) return a ?? b
  return Date.parse(b.freshness.asOf) > Date.parse(a.freshness.asOf) ? b : a
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
    know(campaign, readAt) {
      const { id, detail } = state.value
      if (detail === null || campaign.id !== id || Date.parse(readAt) < Date.parse(detail.freshness.asOf))
        return
      const freshness = { asOf: readAt, source: 'live' as const, error: null }
      state.value = { ...state.value, detail: { ...detail, campaign, freshness } }
    },
    open(id) {
      if (id === state.value.id) return
      question++
      state.value = { id, detail: null, error: null, busy: false }
      void read()
    },
  }
}
