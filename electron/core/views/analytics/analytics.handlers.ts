import { implement } from '@orpc/server'
import { analyticsContract } from '../../../contract/analytics.ts'
import type { AnalyticsService } from './analytics.service.ts'
import type { createFailureGroups } from './failures.ts'
import type { ReadLocalAnalytics } from './local-analytics.ts'

/** What the handlers use of a call. A getter throws NO_CONNECTION while no connection is open. */
interface Slice {
  analytics: AnalyticsService
  failureGroups: ReturnType<typeof createFailureGroups>
  localAnalytics: ReadLocalAnalytics
}

const os = implement(analyticsContract).$context<Slice>()

/** Joins the contract of analytics to what answers it. */
export const analyticsHandlers = {
  overview: os.overview.handler(({ context, input }) => context.analytics.overview(input)),
  billing: os.billing.handler(({ context, input }) => context.analytics.billing(input)),
  days: os.days.handler(({ context, input }) => context.analytics.days(input)),
  readDays: os.readDays.handler(({ context, input }) => context.analytics.readDays(input)),
  failures: os.failures.handler(({ context, input }) => context.failureGroups(input)),
  local: os.local.handler(({ context, input }) => context.localAnalytics(input)),
}
