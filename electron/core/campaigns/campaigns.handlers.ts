import { implement } from '@orpc/server'
import { campaignsContract } from '../../contract/campaigns.ts'
import type { CampaignId } from '../../contract/domain.ts'
import type { CoreContext } from '../context.ts'

const os = implement(campaignsContract).$context<CoreContext>()

export const campaignsHandlers = {
  list: os.list.handler(({ context, input }) => context.workspace().campaigns.list(input)),
  pause: os.pause.handler(({ context, input }) =>
    context.workspace().campaigns.pause({ id: input.id as CampaignId, confirmName: input.confirmName }),
  ),
}
