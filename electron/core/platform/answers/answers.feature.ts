import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { createAnswersRepository } from './answers.repository.ts'
import { createLiveOrLast } from './live-or-last.ts'

export type AnswersService = ReturnType<typeof createAnswersFeature>['service']

export function createAnswersFeature({ cacheDb, clock, log }: { cacheDb: Database; clock: Clock; log: Log }) {
  const repository = createAnswersRepository(cacheDb)
  return { service: { repository, liveOrLast: createLiveOrLast(repository, clock, log) } }
}
