import { implement } from '@orpc/server'
import { dncContract } from '../../../contract/people/dnc.ts'
import { createTeamRepository } from './team.repository.ts'
import { createDncChecks } from './dnc-checks.ts'
import { createDncRepository } from './dnc.repository.ts'
import { createDncService } from './dnc.service.ts'
import { createHoldHandOff } from './hold-hand-off.ts'
import { createHoldsRepository } from './holds.repository.ts'
import type { PeopleParts } from '../parts.ts'

const os = implement(dncContract).$context<{ dnc: DncFeature }>()

export const dncHandlers = {
  watch: os.watch.handler(({ context, signal }) => context.dnc.watch(signal!)),
  sync: os.sync.handler(({ context }) => context.dnc.sync()),
  useShorterList: os.useShorterList.handler(({ context, input }) => context.dnc.useShorterList(input)),
  setMaxAge: os.setMaxAge.handler(({ context, input }) => context.dnc.setMaxAge(input.maxAgeMs)),
  list: os.list.handler(({ context, input, signal }) => context.dnc.list(input, signal)),
  checkOffline: os.checkOffline.handler(({ context, input }) =>
    context.dnc.checkOffline(input.phones, input.region),
  ),
  checkOnline: os.checkOnline.handler(({ context, input, signal }) =>
    context.dnc.checkOnline(input.phone, input.region, signal),
  ),
  checkFile: os.checkFile.handler(({ context, input }) => context.dnc.checks.start(input)),
  inspectFile: os.inspectFile.handler(({ context, input }) => context.dnc.checks.inspect(input.fileId)),
  checkRuns: os.checkRuns.handler(({ context, input }) => context.dnc.checks.list(input.limit, input.cursor)),
  holds: os.holds.handler(({ context, input }) => context.dnc.holds(input)),
  hold: os.hold.handler(({ context, input }) => context.dnc.hold(input)),
  release: os.release.handler(({ context, input }) => context.dnc.release(input.id, input.others)),
  exportHandOff: os.exportHandOff.handler(({ context, input }) => context.dnc.handOffHolds(input.all)),
  optOutKeywords: os.optOutKeywords.handler(({ context }) => ({ words: [...context.dnc.optOutKeywords()] })),
  setOptOutKeywords: os.setOptOutKeywords.handler(({ context, input }) => ({
    words: [...context.dnc.setOptOutKeywords(input.words)],
  })),
}

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
    checks: createDncChecks({ ...parts, dnc, store }),
    handOffHolds: createHoldHandOff({ dnc, store, clock, language: parts.language }),
    isOnList: (digits: number) => repository.find(digits) !== null,
    eraseHolds: holds.erase,
  }
  return { service, start: dnc.start }
}
