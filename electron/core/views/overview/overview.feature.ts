import { overviewContract } from '../../../contract/views/overview.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'

type Overview = ReturnType<typeof createOverviewFeature>['service']

export const overviewHandlers = handlersOf(
  overviewContract,
  ({ overview }: { overview: Overview }) => overview,
)

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
