import type { CampaignStatus } from '../../contract/words.ts'
import type { Connection } from '../../contract/connections.ts'
import type { Freshness } from '../../contract/define.ts'
import type { Campaign, CampaignId, Page } from '../../contract/domain.ts'
import { AppError, isAppError } from '../../contract/errors.ts'
import type { LiveOrLast } from '../answers/live-or-last.ts'
import type { ServiceClient } from '../service-client/create-service-client.ts'

export interface CampaignsService {
  list(query: {
    page: number
    perPage: number
    status?: CampaignStatus | undefined
  }): Promise<Page<Campaign> & { freshness: Freshness }>
  /** Pauses a running campaign and proves it by reading it again. Never repeats the pause by itself. */
  pause(input: {
    id: CampaignId
    confirmName?: string | undefined
  }): Promise<{ campaign: Campaign; sentBefore: number | null }>
}

/** The rules of the campaign controls over the service's three calls. */
export function createCampaignsService(parts: {
  client: ServiceClient
  connection: () => Connection
  liveOrLast: LiveOrLast
}): CampaignsService {
  const { client, liveOrLast } = parts
  return {
    async list({ page, perPage, status }) {
      const key = `campaigns?page=${page}&per_page=${perPage}&status=${status ?? ''}`
      const { value, freshness } = await liveOrLast(key, () =>
        client.campaigns.list(
          { page, perPage, ...(status === undefined ? {} : { status }) },
          { lane: 'live' },
        ),
      )
      return { ...value, freshness }
    },

    async pause({ id, confirmName }) {
      const { production, name } = parts.connection()
      if (production && confirmName !== name) throw new AppError('CONFIRMATION_MISMATCH', { name })
      const before = await client.campaigns.get(id, { lane: 'operator' })
      if (before.status !== 'running') throw notRunning(before)
      let refusal: AppError | undefined
      try {
        await client.campaigns.pause(id, { lane: 'operator' })
      } catch (error) {
        // Refused or unknown: what the campaign really is now decides what is said.
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
      const after = await readAfter(client, id, refusal)
      if (after.status === 'paused') return { campaign: after, sentBefore: before.sentCount }
      if (refusal?.code === 'SERVICE_REJECTED' && after.status !== 'running') throw notRunning(after)
      throw refusal ?? new AppError('PAUSE_NOT_CONFIRMED', { status: after.status ?? 'of unknown state' })
    },
  }
}

/** The second reading. When it fails too, the first trouble, or an honest "not confirmed", is what the operator gets. */
async function readAfter(
  client: ServiceClient,
  id: CampaignId,
  refusal: AppError | undefined,
): Promise<Campaign> {
  try {
    return await client.campaigns.get(id, { lane: 'operator' })
  } catch (error) {
    throw (
      refusal ?? new AppError('OUTCOME_UNKNOWN', { host: 'The service', call: 'the pause' }, { cause: error })
    )
  }
}

const notRunning = (campaign: Campaign) =>
  campaign.status === 'paused'
    ? new AppError('CAMPAIGN_ALREADY_PAUSED')
    : new AppError('CAMPAIGN_NOT_RUNNING', { status: campaign.status ?? 'of unknown state' })
