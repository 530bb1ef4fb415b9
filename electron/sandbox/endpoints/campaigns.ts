import { paginate, queryText, readPage } from '../http/checks.ts'
import { type Call, type Endpoint, get, post } from '../http/endpoint.ts'
import { badRequest, notFound, ok } from '../http/reply.ts'
import { toCampaignRecord } from '../tenant.ts'
import { campaignStatuses } from '../wire.ts'

function campaignOf({ tenant, id }: Call) {
  const campaign = tenant.campaigns.get(id)
  if (!campaign) throw notFound('campaign')
  return campaign
}

/** The spec's Campaigns table. Newest first. */
export const campaignEndpoints: readonly Endpoint[] = [
  get('/campaigns', 'campaigns:read', ({ tenant, query }) => {
    const at = readPage(query)
    const status = queryText(query, 'status')
    if (status !== undefined && !campaignStatuses.some((known) => known === status))
      throw badRequest(`status must be one of ${campaignStatuses.join(', ')}`)
    const campaigns = [...tenant.campaigns.values()].reverse()
    const chosen =
      status === undefined ? campaigns : campaigns.filter((campaign) => campaign.status === status)
    return ok(paginate(chosen, at, (campaign) => toCampaignRecord(tenant, campaign)))
  }),
  get('/campaigns/{id}', 'campaigns:read', (call) => ok(toCampaignRecord(call.tenant, campaignOf(call)))),
  post('/campaigns/{id}/pause', 'campaigns:pause', 'none', (call) => {
    const campaign = campaignOf(call)
    if (campaign.status !== 'running')
      throw badRequest(`only a running campaign can be paused; this one is ${campaign.status}`)
    campaign.status = 'paused'
    campaign.updatedMs = Math.max(call.nowMs, campaign.updatedMs)
    call.service.traffic.notePause(call.tenant)
    return ok(toCampaignRecord(call.tenant, campaign))
  }),
]
