import { implement } from '@orpc/server'
import { analyticsContract } from '../../contract/analytics.ts'
import type { CoreContext } from '../context.ts'

const os = implement(analyticsContract).$context<CoreContext>()

/** Joins the contract of analytics to what answers it. */
export const analyticsHandlers = {
  overview: os.overview.handler(({ context, input }) => context.workspace().analytics.overview(input)),
  billing: os.billing.handler(({ context, input }) => context.workspace().analytics.billing(input)),
  days: os.days.handler(({ context, input }) => context.workspace().analytics.days(input)),
  readDays: os.readDays.handler(({ context, input }) => context.workspace().analytics.readDays(input)),
  failures: os.failures.handler(({ context, input }) => context.workspace().failureGroups(input)),
  local: os.local.handler(({ context, input }) => context.workspace().localAnalytics(input)),
}
