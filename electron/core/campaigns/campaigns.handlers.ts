import { implement } from '@orpc/server'
import { campaignsContract } from '../../contract/campaigns.ts'
import type { CampaignId } from '../../contract/domain.ts'
import type { CoreContext } from '../context.ts'

const os = implement(campaignsContract).$context<CoreContext>()

export const campaignsHandlers = {
  list: os.list.handler(({ context, input }) => context.workspace().campaigns.list(input)),
  watch: os.watch.handler(({ context, signal }) =>
    context.workspace().campaigns.watch(signal ?? new AbortController().signal),
  ),
  motion: os.motion.handler(({ context, input }) => context.workspace().campaigns.motion(input.ids)),
  detail: os.detail.handler(({ context, input }) => context.workspace().campaigns.detail(input)),
  pause: os.pause.handler(({ context, input }) =>
    context.workspace().campaigns.pause({ id: input.id as CampaignId, confirmName: input.confirmName }),
  ),
  running: os.running.handler(({ context }) => context.workspace().campaigns.running()),
  pauseAll: os.pauseAll.handler(({ context, input }) => context.workspace().campaigns.pauseAll(input)),
  pauseAllRun: os.pauseAllRun.handler(({ context }) => context.workspace().campaigns.pauseAllRun()),
  guards: os.guards.handler(({ context }) => context.workspace().campaigns.namedGuards()),
  setGuard: os.setGuard.handler(({ context, input }) => context.workspace().campaigns.guards.set(input)),
  tryGuard: os.tryGuard.handler(({ context, input }) => context.workspace().campaigns.guards.tryOut(input)),
  removeGuard: os.removeGuard.handler(({ context, input }) => {
    context.workspace().campaigns.guards.remove(input.campaignId)
    return {}
  }),
  trips: os.trips.handler(({ context, input }) => ({
    items: context.workspace().campaigns.guards.trips(input),
  })),
}
