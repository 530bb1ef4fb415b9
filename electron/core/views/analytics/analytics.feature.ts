import { analyticsContract } from '../../../contract/views/analytics.ts'
import type { EventsFeature } from '../../live/events/events.feature.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import { createAnalyticsService } from './analytics.service.ts'
import { createFailureGroups } from './failures.ts'
import { createLocalAnalytics } from './local-analytics.ts'
import { createTalliesRepository } from './tallies.repository.ts'
import type { ServiceParts } from '../../service/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const analyticsHandlers = handlersOf(
  analyticsContract,
  ({ analytics }: { analytics: AnalyticsFeature }) => analytics,
)

type AnalyticsFeature = ReturnType<typeof createAnalyticsFeature>['service']

/** Service totals, and statistics from local events. */
export function createAnalyticsFeature(
  parts: ServiceParts & {
    answers: AnswersService
    events: EventsFeature
  },
) {
  const { stateDb: db, answers, events, clock } = parts
  return {
    service: {
      ...createAnalyticsService({ ...parts, liveOrLast: answers.liveOrLast }),
      failures: createFailureGroups({ db, events: events.repository, clock }),
      local: createLocalAnalytics({ tallies: createTalliesRepository(db), events, clock }),
    },
  }
}
