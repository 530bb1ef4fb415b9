import type { PauseReceipt } from '#contract/views/campaigns.ts'
import type { ErrorView } from '#contract/define.ts'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import type { CampaignStatus } from '#contract/words.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { statusLook } from '../format/status.ts'
import { campaignTitle } from './campaign-progress.ts'
import { t } from './campaigns.texts.ts'

/** How the last pause of a campaign went, shown until dismissed. */
export type PauseOutcome = { title: string } & (
  | { kind: 'pausing' }
  /** Confirmed by a reading. */
  | { kind: 'paused'; receipt: PauseReceipt | null }
  /** Someone else had paused it; nothing was sent. */
  | { kind: 'already-paused' }
  | { kind: 'not-running'; error: ErrorView }
  /** It may or may not be paused. */
  | { kind: 'unknown'; error: ErrorView }
  /** It was not paused. */
  | { kind: 'failed'; error: ErrorView }
)

/** A known outcome. */
export type SettledOutcome = Exclude<PauseOutcome, { kind: 'pausing' }>

type Outcomes = ReadonlyMap<CampaignId, PauseOutcome>

/** Known outcomes, in the order of the pauses. */
export function settledOutcomes(outcomes: Outcomes): { id: CampaignId; outcome: SettledOutcome }[] {
  return [...outcomes].flatMap(([id, outcome]) => (outcome.kind === 'pausing' ? [] : [{ id, outcome }]))
}

/** The question before a pause. It follows updates of its campaign. */
export interface PauseQuestion {
  campaign: Campaign
  /** Why it can't be paused now, as a sentence; null if it can. */
  overtaken: string | null
}

/** What a pause needs from outside. */
interface PausePorts {
  client: Pick<Client, 'campaigns'>
  onPaused: (campaign: Campaign) => void
  /** The outcome is not a pause: read the list again. */
  onDoubt: () => void
}

/** Pauses campaigns, each after a question. Several pauses may be in progress, one per campaign. */
export function createPauseCampaign({ client, onPaused, onDoubt }: PausePorts) {
  const asking: ShallowRef<PauseQuestion | null> = shallowRef(null)
  const outcomes: ShallowRef<Outcomes> = shallowRef(new Map())
  const isPausing = (id: string) => outcomes.value.get(id as CampaignId)?.kind === 'pausing'

  function tell(id: CampaignId, outcome: PauseOutcome): void {
    outcomes.value = new Map(outcomes.value).set(id, outcome)
  }

  /** Pauses the campaign of the question. `typedName` is the connection's name, on a production connection. */
  async function confirm(typedName: string | undefined): Promise<void> {
    const question = asking.value
    if (!question || question.overtaken !== null) return
    const { campaign } = question
    const { id } = campaign
    asking.value = null
    if (isPausing(id)) return
    const title = campaignTitle(campaign)
    tell(id, { title, kind: 'pausing' })
    try {
      const answer = await client.campaigns.pause({
        id,
        ...(typedName === undefined ? {} : { confirmName: typedName }),
      })
      onPaused(answer.campaign)
      tell(id, { title, kind: 'paused', receipt: answer.receipt })
    } catch (cause) {
      const error = toErrorView(cause)
      if (error.code === 'CAMPAIGN_ALREADY_PAUSED') tell(id, { title, kind: 'already-paused' })
      else if (error.code === 'CAMPAIGN_NOT_RUNNING') tell(id, { title, kind: 'not-running', error })
      else tell(id, { title, kind: error.acted === 'no' ? 'failed' : 'unknown', error })
      onDoubt()
    }
  }

  return {
    asking,
    outcomes,
    isPausing,
    confirm,
    ask(campaign: Campaign) {
      if (!isPausing(campaign.id)) asking.value = { campaign, overtaken: null }
    },
    cancel: () => void (asking.value = null),
    /** Updates an open question from a page of the list. */
    know(
      { items, total }: { items: readonly Campaign[]; total: number },
      status: CampaignStatus | undefined,
    ) {
      const question = asking.value
      if (!question) return
      const campaign = items.find(({ id }) => id === question.campaign.id)
      if (campaign) asking.value = { campaign, overtaken: whyNotRunning(campaign.status) }
      // Only a complete list of running campaigns shows that it no longer runs.
      else if (status === 'running' && total <= items.length)
        asking.value = { ...question, overtaken: t('pause.notRunning') }
    },
    dismiss(id: CampaignId) {
      const rest = new Map(outcomes.value)
      rest.delete(id)
      outcomes.value = rest
    },
  }
}

function whyNotRunning(status: string | null): string | null {
  if (status === 'running') return null
  if (status === 'paused') return t('pause.alreadyPaused')
  return status === null
    ? t('pause.statusUnknown')
    : t('pause.nowStatus', { status: statusLook('campaign', status).label })
}
