import type { PauseReceipt } from '../../../contract/views/campaigns.ts'
import type { Campaign, CampaignId } from '../../../contract/domain.ts'
import { AppError, type ErrorCode, isAppError } from '../../../contract/errors.ts'
import { campaignStatusWord } from '../../../contract/words.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { CampaignRecords } from './campaign-records.ts'
import type { PauseReceipts } from './pause-receipts.ts'

/** A confirmed pause. `receipt` is null if the service refused our request but the campaign was paused. */
export interface Paused {
  campaign: Campaign
  receipt: PauseReceipt | null
}

/**
 * Pauses a running campaign and reads it again to confirm. Never repeats the request; concurrent calls for one
 * campaign share the outcome. `onSend` is called just before the request may leave.
 */
export type PauseCampaign = (id: CampaignId, by: PauseReceipt['by'], onSend?: () => void) => Promise<Paused>

/** Codes after which the service certainly did not act on the pause. */
const notDone: readonly ErrorCode[] = [
  'SERVICE_REJECTED',
  'SERVICE_NOT_FOUND',
  'FORBIDDEN',
  'RATE_LIMITED',
  'SERVICE_UNREACHABLE',
  'SERVICE_TLS',
  'PROXY_UNREACHABLE',
  'PROXY_REFUSED',
  'PROXY_SIGN_IN',
  'SIGNED_OUT',
  'SESSION_EXPIRED',
  'API_KEY_REFUSED',
]

/** True if an error of a pause means that nothing was done. */
export const isNotDone = (error: unknown): error is AppError => isAppError(error, ...notDone)

export function createPauseCampaign(parts: {
  client: Pick<ServiceClient, 'campaigns'>
  receipts: PauseReceipts
  records: Pick<CampaignRecords, 'note'>
  /** The sent count is watched closely from now on. */
  onPaused: () => void
  clock: Clock
}): { pause: PauseCampaign; settled(): Promise<unknown> } {
  const { client, receipts, clock } = parts
  const running = new Map<string, Promise<Paused>>()

  async function read(id: CampaignId): Promise<Campaign> {
    const askedMs = clock.now()
    const campaign = await client.campaigns.get(id, { lane: 'operator' })
    parts.records.note([campaign], askedMs)
    return campaign
  }

  /** The second reading. If it fails too, the operator gets the first error, or an unconfirmed outcome. */
  async function readAfter(id: CampaignId, refusal: AppError | undefined): Promise<Campaign> {
    try {
      return await client.campaigns.get(id, { lane: 'operator' })
    } catch (error) {
      throw (
        refusal ??
        new AppError(
          'OUTCOME_UNKNOWN',
          { host: { key: 'answer.service' }, call: { key: 'answer.pause' } },
          { cause: error },
        )
      )
    }
  }

  async function run(id: CampaignId, by: PauseReceipt['by'], onSend: () => void): Promise<Paused> {
    const before = await read(id)
    if (before.status !== 'running') throw notRunning(before)
    let receipt: number | null = null
    let answer: Campaign | undefined
    let answeredMs = 0
    let refusal: AppError | undefined
    try {
      answer = await client.campaigns.pause(id, {
        lane: 'operator',
        onSend() {
          onSend()
          receipt ??= receipts.sending(before, by, clock.now())
        },
      })
      answeredMs = clock.now()
    } catch (error) {
      if (receipt !== null && isNotDone(error)) receipts.dropped(receipt)
      // Refused or unknown: the campaign's current status decides.
      if (
        !isAppError(
          error,
          'SERVICE_REJECTED',
          'SERVICE_NOT_FOUND',
          'OUTCOME_UNKNOWN',
          'BAD_ANSWER',
          'NOT_THE_SERVICE',
        )
      )
        throw error
      refusal = error
    }
    const askedMs = clock.now()
    const after = await readAfter(id, refusal)
    if (receipt !== null && after.status === 'paused') {
      // Recorded at the time of the answer: the second reading, recorded below, then shows what was sent in between.
      if (answer?.status === 'paused' && answer.sentCount !== null)
        receipts.proven(receipt, answer, answeredMs)
      else receipts.proven(receipt, after, clock.now())
    }
    parts.records.note([after], askedMs)
    parts.onPaused()
    if (after.status === 'paused')
      return { campaign: after, receipt: receipt === null ? null : receipts.get(receipt) }
    if (refusal?.code === 'SERVICE_REJECTED' && after.status !== 'running') throw notRunning(after)
    throw refusal ?? new AppError('PAUSE_NOT_CONFIRMED', { status: campaignStatusWord(after.status) })
  }

  return {
    pause(id, by, onSend = () => {}) {
      const existing = running.get(id)
      if (existing) return existing
      const started = run(id, by, onSend).finally(() => running.delete(id))
      running.set(id, started)
      return started
    },
    settled: () => Promise.allSettled(running.values()),
  }
}

const notRunning = (campaign: Campaign) =>
  campaign.status === 'paused'
    ? new AppError('CAMPAIGN_ALREADY_PAUSED')
    : new AppError('CAMPAIGN_NOT_RUNNING', { status: campaignStatusWord(campaign.status) })
