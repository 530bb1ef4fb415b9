import { AppError } from '../../../contract/errors.ts'
import { teamContract } from '../../../contract/live/team.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import type { Ports } from '../../ports.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import type { OutboxService } from '../../people/outbox/outbox.service.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { SharedValues } from '../../people/team/shared-values.ts'
import type { TeamSends } from '../../people/templates/team-sends.ts'
import { createTeamRepository } from '../../people/dnc/team.repository.ts'
import { createTeamChanges } from './changes.ts'
import { createErasures } from './erasures.ts'
import { createTeamService } from './team.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const teamHandlers = handlersOf(teamContract, ({ team }: { team: TeamFeature }) => team)

type TeamFeature = ReturnType<typeof createTeamFeature>['service']

/** What is shared with colleagues over a relay. */
export function createTeamFeature(
  parts: PlatformParts & {
    mayListen: () => boolean
    dnc: DncService
    templates: { teamSends: TeamSends }
    shared: SharedValues
    listener: Pick<ListenerService, 'relayConfig'>
    client: Pick<ServiceClient, 'budget'>
    outbox: Pick<OutboxService, 'work'>
    ports: Pick<Ports, 'secrets' | 'resolveProxies'>
    keepSecret: (account: string, value: string) => Promise<unknown>
    forgetSecret: (account: string) => Promise<unknown>
    notice: (id: string, error: AppError) => void
    clearNotice: (id: string) => void
  },
) {
  const { ports } = parts
  const service = createTeamService({
    ...parts,
    connectionId: parts.connection().id,
    repository: createTeamRepository(parts.stateDb),
    sends: parts.templates.teamSends,
    erasures: createErasures(parts.stateDb, parts.clock, parts.dnc.holdErased),
    showErasure(author) {
      const id = `team-erasure/${parts.connection().id}`
      if (author === null) parts.clearNotice(id)
      else parts.notice(id, new AppError('TEAM_ERASED', { author }))
    },
    values: parts.shared.team,
    work: () => ({ connection: parts.connection().name.slice(0, 100), ...parts.outbox.work() }),
    setTeam: parts.client.budget.setTeam,
    relay: parts.listener.relayConfig,
    secrets: ports.secrets,
    resolveProxies: (origin) => ports.resolveProxies(origin),
    random: Math.random,
  })
  return {
    service: { ...service, changes: createTeamChanges(parts.stateDb) },
    start() {
      if (parts.mayListen()) service.start()
    },
    stop: service.stop,
  }
}
