import type { ErrorView } from '#contract/define.ts'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { visibleText } from '../text/visible-controls.ts'
import type { CampaignPage } from './campaign-answers.ts'
import { campaignTitle } from './campaign-progress.ts'

/** How the last pause of a campaign went, told beside it. `title` names it where its row is gone. */
export type PauseOutcome = { title: string } & (
  | { kind: 'pausing' }
  /** Paused and read back as paused. `sentBefore` is the sent count just before. */
  | { kind: 'paused'; at: string; sentBefore: number | null }
  /** Somebody else had paused it: what was wanted is so, and nothing was sent from here. */
  | { kind: 'already-paused' }
  /** It was not running: its true status is shown. */
  | { kind: 'not-running'; error: ErrorView }
  /** It may or may not be paused: only a look at it tells. */
  | { kind: 'unknown'; error: ErrorView }
  /** Nothing was done, or the service did not do it. */
  | { kind: 'failed'; error: ErrorView }
)

/** An outcome that is known. */
export type SettledOutcome = Exclude<PauseOutcome, { kind: 'pausing' }>

/** The outcome of `id` once it is known. */
export function settledOutcome(
  outcomes: ReadonlyMap<CampaignId, PauseOutcome>,
  id: CampaignId,
): SettledOutcome | undefined {
  const outcome = outcomes.get(id)
  return outcome === undefined || outcome.kind === 'pausing' ? undefined : outcome
}

/** Known outcomes of campaigns that are not among `shown`: their rows left, what was told stays. */
export function outcomesWithoutRow(
  outcomes: ReadonlyMap<CampaignId, PauseOutcome>,
  shown: readonly Campaign[],
): { id: CampaignId; outcome: SettledOutcome }[] {
  const rows = new Set(shown.map(({ id }) => id))
  return [...outcomes.keys()]
    .filter((id) => !rows.has(id))
    .flatMap((id) => {
      const outcome = settledOutcome(outcomes, id)
      return outcome ? [{ id, outcome }] : []
    })
}

/** The question before a pause, kept up with what is known of its campaign. */
export interface PauseQuestion {
  campaign: Campaign
  /** Why there is nothing to pause any more, as a sentence; null while there is. */
  overtaken: string | null
}

/** What is said of a pause that somebody else was quicker with. */
export const alreadyPaused = 'It was paused already, from another window or by a colleague.'

/** What is said where a pause is off because the core is not heard. */
export const notConnected = 'No connection to the console. It comes back by itself.'

/** Pausing campaigns, with a question before each. */
export interface PauseCampaign {
  /** Null while nothing is asked. */
  asking: Readonly<ShallowRef<PauseQuestion | null>>
  outcomes: Readonly<ShallowRef<ReadonlyMap<CampaignId, PauseOutcome>>>
  /** Asks the operator about `campaign`. */
  ask(campaign: Campaign): void
  /** Keeps an open question up with a page of the list. */
  know(page: Pick<CampaignPage, 'items' | 'total' | 'query'>): void
  cancel(): void
  /** Pauses the campaign that was asked about. `typedName` is the connection's name on a production connection. */
  confirm(typedName: string | undefined): Promise<void>
  /** Takes the outcome of one campaign off the screen. */
  dismiss(id: CampaignId): void
}

/** What a pause needs from outside. */
export interface PausePorts {
  client: Pick<Client, 'campaigns'>
  /** A newer record of a campaign is known. */
  onCampaign: (campaign: Campaign) => void
  /** The list should be read again, since the truth is at the service. */
  onDoubt: () => void
  now?: () => number
}

/** Codes after which nobody here knows whether the service paused the campaign. */
const unknownOutcomes = ['OUTCOME_UNKNOWN', 'DISCONNECTED', 'INTERNAL']

/** Several campaigns may be paused at once, each with its own outcome; one that is being paused is not paused again. */
export function createPauseCampaign({
  client,
  onCampaign,
  onDoubt,
  now = Date.now,
}: PausePorts): PauseCampaign {
  const asking = shallowRef<PauseQuestion | null>(null)
  const outcomes = shallowRef<ReadonlyMap<CampaignId, PauseOutcome>>(new Map())

  function tell(id: CampaignId, outcome: PauseOutcome): void {
    outcomes.value = new Map(outcomes.value).set(id, outcome)
  }

  async function confirm(typedName: string | undefined): Promise<void> {
    const question = asking.value
    if (!question || question.overtaken !== null) return
    const { campaign } = question
    asking.value = null
    if (outcomes.value.get(campaign.id)?.kind === 'pausing') return
    const { id } = campaign
    const title = campaignTitle(campaign)
    tell(id, { title, kind: 'pausing' })
    try {
      const answer = await client.campaigns.pause({
        id,
        ...(typedName === undefined ? {} : { confirmName: typedName }),
      })
      onCampaign(answer.campaign)
      tell(id, { title, kind: 'paused', at: new Date(now()).toISOString(), sentBefore: answer.sentBefore })
    } catch (cause) {
      const error = toErrorView(cause)
      if (error.code === 'CAMPAIGN_ALREADY_PAUSED') {
        onCampaign({ ...campaign, status: 'paused' })
        tell(id, { title, kind: 'already-paused' })
      } else if (error.code === 'CAMPAIGN_NOT_RUNNING') {
        const status = error.data['status']
        if (typeof status === 'string') onCampaign({ ...campaign, status })
        tell(id, { title, kind: 'not-running', error })
      } else {
        tell(id, { title, kind: unknownOutcomes.includes(error.code) ? 'unknown' : 'failed', error })
      }
      onDoubt()
    }
  }

  function know({ items, total, query }: Pick<CampaignPage, 'items' | 'total' | 'query'>): void {
    const question = asking.value
    if (!question) return
    const campaign = items.find(({ id }) => id === question.campaign.id)
    if (campaign) asking.value = { campaign, overtaken: whyNotRunning(campaign.status) }
    // Absence tells something only where every running campaign is on the page.
    else if (query.status === 'running' && total <= items.length)
      asking.value = { ...question, overtaken: 'It is no longer among the running campaigns.' }
  }

  return {
    asking,
    outcomes,
    ask(campaign) {
      if (outcomes.value.get(campaign.id)?.kind !== 'pausing') asking.value = { campaign, overtaken: null }
    },
    know,
    cancel: () => (asking.value = null),
    confirm,
    dismiss(id) {
      const rest = new Map(outcomes.value)
      rest.delete(id)
      outcomes.value = rest
    },
  }
}

function whyNotRunning(status: string | null): string | null {
  if (status === 'running') return null
  if (status === 'paused') return alreadyPaused
  return status === null ? 'Its status is no longer given.' : `It is ${visibleText(status)} now.`
}
