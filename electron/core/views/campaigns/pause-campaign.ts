import type { PauseReceipt } from '../../../contract/views/campaigns.ts'
import type { Campaign, CampaignId } from '../../../contract/domain.ts'
import { AppError, isAppError, isRefusal } from '../../../contract/errors.ts'
import { campaignStatusWord } from '../../../contract/words.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { type CampaignRecords, isOlderCopy } from './campaign-records.ts'
import type { PauseReceipts } from './pause-receipts.ts'

/** A confirmed pause. `receipt` is null if it was deleted meanwhile. */
export interface Paused {
  campaign: Campaign
  receipt: PauseReceipt | null
}

/**
 * Pauses a campaign first and reads it afterwards. An answer `paused` is proof, even if the reading fails. Never
 * repeats the request; concurrent calls for one campaign share the outcome. `onSend` is called just before the
 * request may leave, or at once if a shared one may have left.
 */
export type PauseCampaign = (id: CampaignId, by: PauseReceipt['by'], onSend?: () => void) => Promise<Paused>

interface PauseRequest {
  senders: (() => void)[]
  hasLeft: boolean
}

/** True if an error of a pause doesn't show that the campaign has stopped. */
export const mayStillRun = (error: unknown): boolean =>
  !isAppError(error, 'CAMPAIGN_ALREADY_PAUSED', 'CAMPAIGN_NOT_RUNNING')

export function createPauseCampaign(parts: {
  client: Pick<ServiceClient, 'campaigns'>
  receipts: PauseReceipts
  records: Pick<CampaignRecords, 'get' | 'note'>
  /** The sent count is watched closely from now on. */
  onPaused: () => void
  clock: Clock
}): { pause: PauseCampaign; settled(): Promise<unknown> } {
  const { client, receipts, records, clock } = parts
  const running = new Map<string, { request: PauseRequest; outcome: Promise<Paused> }>()

  /** What the service shows after the request. If that can't be read: the proof, or else why it is in doubt. */
  async function readAfter(
    id: CampaignId,
    proof: Campaign | null,
    problem: AppError | undefined,
    wasRunning: boolean,
  ): Promise<Campaign> {
    const askedMs = clock.now()
    try {
      const after = await client.campaigns.get(id, { lane: 'operator', ...(proof && { tries: 1 }) })
      records.note([after], askedMs)
      return proof && isOlderCopy(after, proof) ? proof : after
    } catch (error) {
      if (proof) return proof
      const isUnknown = [problem, error].every((one) => isAppError(one) && one.code === 'SERVICE_NOT_FOUND')
      if (problem && isUnknown && wasRunning)
        throw new AppError('CAMPAIGN_UNKNOWN', problem.data, { cause: problem })
      throw (
        problem ??
        new AppError(
          'OUTCOME_UNKNOWN',
          { host: { key: 'answer.service' }, call: { key: 'answer.pause' } },
          { cause: error },
        )
      )
    }
  }

  async function run(id: CampaignId, by: PauseReceipt['by'], request: PauseRequest): Promise<Paused> {
    const known = records.get(id)?.campaign
    let receipt: number | null = null
    let answer: Campaign | undefined
    let problem: AppError | undefined
    try {
      answer = await client.campaigns.pause(id, {
        lane: 'operator',
        onSend() {
          for (const onSend of request.senders) onSend()
          request.hasLeft = true
          const before = known ?? { id, name: null, sentCount: null, status: null }
          receipt = receipts.sending(before, by, clock.now())
        },
        onNotDone() {
          request.hasLeft = false
          receipts.dropped(receipt!)
          receipt = null
        },
      })
    } catch (error) {
      // Refused or unconfirmed: the campaign's current status decides.
      if (!isAppError(error) || (error.acted === 'no' && !isRefusal(error))) throw error
      problem = error
    }
    const proof = answer?.status === 'paused' ? filledFrom(known, answer) : null
    if (proof) {
      records.note([proof], clock.now())
      // After the note, which may hold a count from before the pause.
      receipts.proven(receipt!, answer!, clock.now())
    }
    parts.onPaused()
    const after = await readAfter(id, proof, problem, known?.status === 'running')
    if (isRefusal(problem)) throw after.status === 'running' ? problem : notRunning(after)
    // It ended meanwhile, so it sends nothing more.
    if (after.status === 'completed' || after.status === 'cancelled') throw notRunning(after)
    if (after.status !== 'paused')
      throw problem ?? new AppError('PAUSE_NOT_CONFIRMED', { status: campaignStatusWord(after.status) })
    if (after !== proof && typeof answer?.sentCount !== 'number')
      receipts.proven(receipt!, after, clock.now())
    return { campaign: after, receipt: receipts.get(receipt!) }
  }

  return {
    pause(id, by, onSend = () => {}) {
      const existing = running.get(id)
      if (existing) {
        existing.request.senders.push(onSend)
        if (existing.request.hasLeft) onSend()
        return existing.outcome
      }
      const request = { senders: [onSend], hasLeft: false }
      const outcome = run(id, by, request).finally(() => running.delete(id))
      running.set(id, { request, outcome })
      return outcome
    },
    settled: () => Promise.allSettled([...running.values()].map(({ outcome }) => outcome)),
  }
}

const notRunning = (campaign: Campaign) =>
  campaign.status === 'paused'
    ? new AppError('CAMPAIGN_ALREADY_PAUSED')
    : new AppError('CAMPAIGN_NOT_RUNNING', { status: campaignStatusWord(campaign.status) })

/** An answer may hold only an ID and a status; the rest is as last known. */
const filledFrom = (known: Campaign | undefined, answer: Campaign): Campaign => ({
  ...(known ?? answer),
  ...(Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null)) as Partial<Campaign>),
})
