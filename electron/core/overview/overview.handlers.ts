import { implement } from '@orpc/server'
import { overviewContract } from '../../contract/overview.ts'
import type { CoreContext } from '../context.ts'

const os = implement(overviewContract).$context<CoreContext>()

export const overviewHandlers = {
  get: os.get.handler(async ({ context }) => {
    const { client, liveOrLast } = context.workspace()
    const { value, freshness } = await liveOrLast('dashboard', () => client.dashboard.get({ lane: 'live' }))
    return { dashboard: value, freshness }
  }),
}
