import type { ErrorView } from '#contract/define.ts'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { campaignTitle } from './campaign-progress.ts'

/** How the last pause of a campaign went, told beside it. `title` names it where its row is gone. */
export type PauseOutcome = { title: string } & (
  | { kind: 'pausing' }
  /** Paused and read back as paused. `sentBefore` is the sent count just before. */
  | { kind: 'paused'; at: string; sentBefore: number | null }
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

/** Pausing campaigns, with a question before each. */
export interface PauseCampaign {
  /** The campaign the question is about; null while none is asked. */
  asking: Readonly<ShallowRef<Campaign | null>>
  outcomes: Readonly<ShallowRef<ReadonlyMap<CampaignId, PauseOutcome>>>
  /** Asks the operator about `campaign`. */
  ask(campaign: Campaign): void
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
  const asking = shallowRef<Campaign | null>(null)
  const outcomes = shallowRef<ReadonlyMap<CampaignId, PauseOutcome>>(new Map())

  function tell(id: CampaignId, outcome: PauseOutcome): void {
    outcomes.value = new Map(outcomes.value).set(id, outcome)
  }

  async function confirm(typedName: string | undefined): Promise<void> {
    const campaign = asking.value
    asking.value = null
    if (!campaign || outcomes.value.get(campaign.id)?.kind === 'pausing') return
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
      if (error.code === 'CAMPAIGN_NOT_RUNNING') {
        const status = error.data['status']
        if (typeof status === 'string') onCampaign({ ...campaign, status })
        tell(id, { title, kind: 'not-running', error })
      } else {
        tell(id, { title, kind: unknownOutcomes.includes(error.code) ? 'unknown' : 'failed', error })
      }
      onDoubt()
    }
  }

  return {
    asking,
    outcomes,
    ask(campaign) {
      if (outcomes.value.get(campaign.id)?.kind !== 'pausing') asking.value = campaign
    },
    cancel: () => (asking.value = null),
    confirm,
    dismiss(id) {
      const rest = new Map(outcomes.value)
      rest.delete(id)
      outcomes.value = rest
    },
  }
}
