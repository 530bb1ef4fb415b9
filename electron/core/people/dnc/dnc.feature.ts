import { dncContract } from '../../../contract/people/dnc.ts'
import { createTeamRepository } from './team.repository.ts'
import { createDncChecks } from './dnc-checks.ts'
import { createDncRepository } from './dnc.repository.ts'
import { createDncService } from './dnc.service.ts'
import { createHoldHandOff } from './hold-hand-off.ts'
import { createHoldsRepository } from './holds.repository.ts'
import type { PeopleParts } from '../parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const dncHandlers = handlersOf(dncContract, ({ dnc }: { dnc: DncFeature }) => dnc)

type DncFeature = ReturnType<typeof createDncFeature>['service']

export function createDncFeature(parts: PeopleParts) {
  const { stateDb, cacheDb, files: store, clock } = parts
  const country = () => parts.connection().country
  const repository = createDncRepository(cacheDb, country)
  const holds = createHoldsRepository(stateDb, country)
  const dnc = createDncService({
    ...parts,
    connectionId: parts.connection().id,
    cacheFile: cacheDb.name,
    stateFile: stateDb.name,
    repository,
    holds,
    team: createTeamRepository(stateDb),
    country,
    otherReadings: parts.contactList.otherReadings,
  })
  const service = {
    ...dnc,
    ...createDncChecks({ ...parts, dnc, store }),
    exportHandOff: createHoldHandOff({ dnc, store, clock, language: parts.language }),
    isOnList: (digits: number) => repository.find(digits) !== null,
    eraseHolds: holds.erase,
  }
  return { service, start: dnc.start }
}
