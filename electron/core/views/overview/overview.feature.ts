import { implement } from '@orpc/server'
import { overviewContract } from '../../../contract/views/overview.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'

type Overview = ReturnType<typeof createOverviewFeature>['service']

const os = implement(overviewContract).$context<{ overview: Overview }>()

export const overviewHandlers = { get: os.get.handler(({ context }) => context.overview.get()) }

/** The service's dashboard. */
export function createOverviewFeature({
  client,
  answers,
}: {
  client: ServiceClient
  answers: AnswersService
}) {
  return {
    service: {
      async get() {
        const { value, freshness } = await answers.liveOrLast('dashboard', () =>
          client.dashboard.get({ lane: 'live' }),
        )
        return { dashboard: value, freshness }
      },
    },
  }
}
