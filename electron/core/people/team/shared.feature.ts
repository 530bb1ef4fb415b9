import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createSharedValues } from './shared-values.ts'

/** Notes, saved filters and alert rules, which a team shares. */
export const createSharedFeature = (parts: { stateDb: Database; clock: Clock }) => ({
  service: createSharedValues(parts.stateDb, parts.clock),
})
