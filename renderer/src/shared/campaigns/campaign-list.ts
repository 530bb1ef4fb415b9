import type { ErrorView } from '#contract/define.ts'
import type { Campaign } from '#contract/domain.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import {
  type CampaignAnswers,
  type CampaignPage,
  type CampaignQuery,
  createCampaignAnswers,
} from './campaign-answers.ts'

/** `last` is what is still on screen meanwhile; while loading it may be another page than the one asked for. */
export type CampaignListState =
  | { kind: 'idle'; last: null }
  | { kind: 'loading'; last: CampaignPage | null }
  | { kind: 'ready'; last: CampaignPage }
  | { kind: 'failed'; last: CampaignPage | null; error: ErrorView }

/** A page of campaigns that can be asked again and again. */
export interface CampaignList {
  state: Readonly<ShallowRef<CampaignListState>>
  /** Asks for another page or filter. The one before stays until the answer is here. */
  ask(query: CampaignQuery): Promise<void>
  /** Asks for the same page again. */
  refresh(signal?: AbortSignal): Promise<void>
  /** Asks for it as one who asks again and again: the core answers from its own last reading where that is new enough. */
  poll(signal?: AbortSignal): Promise<void>
  /** Puts a newer record of one campaign in its row. An answer that was asked for or given before does not undo it. */
  replace(campaign: Campaign): void
}

/**
 * Reads pages of campaigns. Only the answer to the latest question is shown, and none that is older than what `answers`,
 * which lists may share, has of the same page or campaign.
 */
export function createCampaignList(
  client: Pick<Client, 'campaigns'>,
  first: CampaignQuery,
  {
    now = Date.now,
    answers = createCampaignAnswers(),
  }: { now?: () => number; answers?: CampaignAnswers } = {},
): CampaignList {
  const state = shallowRef<CampaignListState>({ kind: 'idle', last: null })
  let query = first
  let question = 0
  let newer: { campaign: Campaign; sinceQuestion: number; atMs: number }[] = []

  async function ask(next: CampaignQuery): Promise<void> {
    query = next
    state.value = { kind: 'loading', last: answers.last(next) ?? state.value.last }
    await refresh()
  }

  const refresh = (signal?: AbortSignal) => read({}, signal)

  async function read(how: { poll?: true }, signal?: AbortSignal): Promise<void> {
    const mine = ++question
    const asked = query
    if (state.value.kind === 'idle') state.value = { kind: 'loading', last: answers.last(asked) }
    try {
      const { items, total, freshness } = await client.campaigns.list(
        { ...asked, ...how },
        signal ? { signal } : {},
      )
      if (mine !== question || signal?.aborted) return
      // A kept answer may be asked for later and still be older than what is known of one campaign.
      const answeredMs = Date.parse(freshness.asOf)
      newer = newer.filter(({ sinceQuestion, atMs }) => sinceQuestion >= mine || answeredMs <= atMs)
      const page = { items: items.map(withNewer), total, query: asked, freshness }
      state.value = { kind: 'ready', last: answers.take(page) }
    } catch (cause) {
      if (mine !== question || signal?.aborted) return
      const { last } = state.value
      const isOfAnother = last !== null && JSON.stringify(last.query) !== JSON.stringify(asked)
      state.value = { kind: 'failed', last: isOfAnother ? null : last, error: toErrorView(cause) }
    }
  }

  function replace(campaign: Campaign): void {
    const atMs = now()
    answers.note(campaign, atMs)
    newer = [
      ...newer.filter((known) => known.campaign.id !== campaign.id),
      { campaign, sinceQuestion: question, atMs },
    ]
    const { last } = state.value
    if (last)
      state.value = {
        ...state.value,
        last: { ...last, items: last.items.map(withNewer) },
      } as CampaignListState
  }

  function withNewer(campaign: Campaign): Campaign {
    return newer.find((known) => known.campaign.id === campaign.id)?.campaign ?? campaign
  }

  return { state, ask, refresh, poll: (signal) => read({ poll: true }, signal), replace }
}
