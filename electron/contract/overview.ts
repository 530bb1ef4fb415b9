import * as z from 'zod'
import { freshnessSchema, procedure } from './define.ts'
import { dashboardSchema } from './domain.ts'

export const overviewContract = {
  /** The service's dashboard figures, live or as last known. Null when never read. */
  get: procedure.output(
    z.object({ dashboard: dashboardSchema.nullable(), freshness: freshnessSchema.nullable() }),
  ),
}
