import { implement } from '@orpc/server'
import { overviewContract } from '../../../contract/overview.ts'
import type { LiveOrLast } from '../../platform/answers/live-or-last.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'

const os = implement(overviewContract).$context<{ client: ServiceClient; liveOrLast: LiveOrLast }>()

export const overviewHandlers = {
  get: os.get.handler(async ({ context }) => {
    const { client, liveOrLast } = context
    const { value, freshness } = await liveOrLast('dashboard', () => client.dashboard.get({ lane: 'live' }))
    return { dashboard: value, freshness }
  }),
}
