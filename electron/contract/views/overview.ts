import * as z from 'zod'
import { freshnessSchema, procedure } from '../define.ts'
import { dashboardSchema } from '../domain.ts'

export const overviewContract = {
  /** Dashboard totals, live or last known; null if never read. */
  get: procedure.output(
    z.object({ dashboard: dashboardSchema.nullable(), freshness: freshnessSchema.nullable() }),
  ),
}
