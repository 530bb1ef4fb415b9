import { implement } from '@orpc/server'
import { campaignsContract } from '../../../contract/campaigns.ts'
import type { CampaignId } from '../../../contract/domain.ts'
import type { CampaignsService } from './campaigns.service.ts'

const os = implement(campaignsContract).$context<{ campaigns: CampaignsService }>()

export const campaignsHandlers = {
  list: os.list.handler(({ context, input }) => context.campaigns.list(input)),
  watch: os.watch.handler(({ context, signal }) =>
    context.campaigns.watch(signal ?? new AbortController().signal),
  ),
  motion: os.motion.handler(({ context, input }) => context.campaigns.motion(input.ids)),
  detail: os.detail.handler(({ context, input }) => context.campaigns.detail(input)),
  pause: os.pause.handler(({ context, input }) =>
    context.campaigns.pause({ id: input.id as CampaignId, confirmName: input.confirmName }),
  ),
  running: os.running.handler(({ context }) => context.campaigns.running()),
  pauseAll: os.pauseAll.handler(({ context, input }) => context.campaigns.pauseAll(input)),
  pauseAllRun: os.pauseAllRun.handler(({ context }) => context.campaigns.pauseAllRun()),
  guards: os.guards.handler(({ context }) => context.campaigns.namedGuards()),
  setGuard: os.setGuard.handler(({ context, input }) => context.campaigns.guards.set(input)),
  tryGuard: os.tryGuard.handler(({ context, input }) => context.campaigns.guards.tryOut(input)),
  removeGuard: os.removeGuard.handler(({ context, input }) => {
    context.campaigns.guards.remove(input.campaignId)
    return {}
  }),
  trips: os.trips.handler(({ context, input }) => ({
    items: context.campaigns.guards.trips(input),
  })),
}
