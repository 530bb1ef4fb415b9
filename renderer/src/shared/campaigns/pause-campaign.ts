import type { PauseReceipt } from '#contract/views/campaigns.ts'
import type { ErrorView } from '#contract/define.ts'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import type { CampaignStatus } from '#contract/words.ts'
import { type Ref, type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { errorText } from '../i18n/core-texts.ts'
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
  /** `unknown`: it may or may not be paused. `failed`: it was not paused. `at`: when that was known. */
  | { kind: 'unknown' | 'failed'; error: ErrorView; at: string }
)

export type SettledOutcome = Exclude<PauseOutcome, { kind: 'pausing' }>

export type FailedOutcome = Extract<PauseOutcome, { kind: 'unknown' | 'failed' }>

/** Whether the campaign may still be sending. */
export const hasFailed = (outcome: PauseOutcome): outcome is FailedOutcome =>
  outcome.kind === 'unknown' || outcome.kind === 'failed'

export type Outcomes = ReadonlyMap<CampaignId, PauseOutcome>

/** Known outcomes, in the order of the pauses. Failures for one reason are one outcome. */
export function settledOutcomes(outcomes: Outcomes): { ids: CampaignId[]; outcome: SettledOutcome }[] {
  const known = [...outcomes].flatMap(([id, outcome]) => (outcome.kind === 'pausing' ? [] : { id, outcome }))
  const groups = Map.groupBy(known, ({ id, outcome }) =>
    hasFailed(outcome) ? `${outcome.kind} ${errorText(outcome.error)}` : id,
  )
  return [...groups.values()].map((group) => ({
    ids: group.map(({ id }) => id),
    outcome: { ...group.at(-1)!.outcome, title: group.map(({ outcome }) => outcome.title).join(', ') },
  }))
}

/** The question before a pause. It follows updates of its campaign. */
export interface PauseQuestion {
  campaign: Campaign
  /** Why it can't be paused now, as a sentence; null if it can. */
  overtaken: string | null
}

interface PausePorts {
  client: Pick<Client, 'campaigns'>
  outcomes: Ref<Outcomes>
  /** The connection's name to type, on a production connection. */
  typeName: () => string | null
  /** That name as last typed. */
  typedName: Ref<string | undefined>
  onPaused: (campaign: Campaign) => void
  /** The outcome is not a pause: read the list again. */
  onDoubt: () => void
  /** Aborts when the page is left. The pause continues, and the core notifies of a failure instead. */
  left: AbortSignal
}

/** Pauses campaigns, each after a question. Several pauses may be in progress, one per campaign. */
export function createPauseCampaign({
  client,
  outcomes,
  typeName,
  typedName,
  onPaused,
  onDoubt,
  left,
}: PausePorts) {
  const asking: ShallowRef<PauseQuestion | null> = shallowRef(null)
  const isPausing = (id: string) => outcomes.value.get(id as CampaignId)?.kind === 'pausing'

  function tell(id: CampaignId, outcome: PauseOutcome): void {
    const rest = new Map(outcomes.value)
    rest.delete(id)
    outcomes.value = rest.set(id, outcome)
  }

  function dismiss(id: CampaignId): void {
    const rest = new Map(outcomes.value)
    rest.delete(id)
    outcomes.value = rest
  }

  /** Pauses the campaign of the question. `name` is the connection's name, on a production connection. */
  async function confirm(name: string | undefined): Promise<void> {
    const question = asking.value
    if (!question || question.overtaken !== null) return
    asking.value = null
    typedName.value = name
    await send(question.campaign.id, campaignTitle(question.campaign))
  }

  async function send(id: CampaignId, title: string): Promise<void> {
    if (isPausing(id)) return
    const confirmName = typedName.value
    tell(id, { title, kind: 'pausing' })
    try {
      const answer = await client.campaigns.pause({ id, confirmName }, { signal: left })
      onPaused(answer.campaign)
      tell(id, { title, kind: 'paused', receipt: answer.receipt })
    } catch (cause) {
      if (left.aborted) return dismiss(id)
      const error = toErrorView(cause)
      if (error.code === 'CAMPAIGN_ALREADY_PAUSED') tell(id, { title, kind: 'already-paused' })
      else if (error.code === 'CAMPAIGN_NOT_RUNNING') tell(id, { title, kind: 'not-running', error })
      else {
        const kind = error.acted === 'no' ? 'failed' : 'unknown'
        tell(id, { title, kind, error, at: new Date().toISOString() })
      }
      onDoubt()
    }
  }

  /** Sends another pause after one that failed. It asks first when the connection's name must be typed and wasn't. */
  async function again(id: CampaignId): Promise<void> {
    const outcome = outcomes.value.get(id)
    if (!outcome || !hasFailed(outcome)) return
    const name = typeName()
    if (name === null || name === typedName.value) return send(id, outcome.title)
    try {
      const { campaign } = await client.campaigns.detail({ id }, { signal: left })
      asking.value ??= { campaign, overtaken: whyNotRunning(campaign.status) }
    } catch (cause) {
      if (!left.aborted) tell(id, { ...outcome, error: toErrorView(cause) })
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
    again,
    cancel: () => void (asking.value = null),
    /** Updates an open question from a page of the list or changed campaigns, and drops failures of campaigns that stopped since. */
    know(
      { items, total }: { items: readonly Campaign[]; total: number },
      status: CampaignStatus | undefined,
    ) {
      // Only a complete list of running campaigns shows that one no longer runs.
      const isMissing = status === 'running' && total <= items.length
      for (const [id, outcome] of outcomes.value) {
        const campaign = items.find((one) => one.id === id)
        if (hasFailed(outcome) && (campaign ? hasStopped(campaign) : isMissing)) dismiss(id)
      }
      const question = asking.value
      if (!question) return
      const campaign = items.find(({ id }) => id === question.campaign.id)
      if (campaign) asking.value = { campaign, overtaken: whyNotRunning(campaign.status) }
      else if (isMissing) asking.value = { ...question, overtaken: t('pause.notRunning') }
    },
    dismiss,
  }
}

/** A status that can't be read proves nothing. */
const hasStopped = ({ status }: Campaign): boolean => status !== null && status !== 'running'

function whyNotRunning(status: string | null): string | null {
  if (status === 'running') return null
  if (status === 'paused') return t('pause.alreadyPaused')
  return status === null
    ? t('pause.statusUnknown')
    : t('pause.nowStatus', { status: statusLook('campaign', status).label })
}
