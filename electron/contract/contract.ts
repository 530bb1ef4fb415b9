import { campaignsContract } from './campaigns.ts'
import { connectionsContract } from './connections.ts'
import { eventsContract } from './events.ts'
import { listenerContract } from './listener.ts'
import { overviewContract } from './overview.ts'
import { settingsContract } from './settings.ts'
import { statusContract } from './status.ts'
import { webhooksContract } from './webhooks.ts'

/** Everything the renderer may ask. One member per feature. */
export const contract = {
  campaigns: campaignsContract,
  connections: connectionsContract,
  events: eventsContract,
  listener: listenerContract,
  overview: overviewContract,
  settings: settingsContract,
  status: statusContract,
  webhooks: webhooksContract,
}
export type Contract = typeof contract
