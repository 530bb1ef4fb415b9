import { implement } from '@orpc/server'
import type { Connection } from '../../../contract/connection/connections.ts'
import { probedNameSchema } from '../../../contract/dialect.ts'
import { settingsContract } from '../../../contract/platform/settings.ts'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'
import type { ServiceClient } from '../client/create-service-client.ts'
import { createDialectProbe, type DialectProbe } from './dialect-probe.ts'
import type { FieldNames } from './field-names.ts'

const os = implement(settingsContract).$context<{
  fieldNames: FieldNames
  probe: DialectProbe
  connection: Connection
}>()

export const fieldNamesHandlers = {
  getDialect: os.getDialect.handler(({ context }) => context.fieldNames.of(context.connection.id)),
  setDialect: os.setDialect.handler(({ context, input }) =>
    context.fieldNames.set(context.connection.id, input),
  ),
  resetDialect: os.resetDialect.handler(({ context }) => context.fieldNames.reset(context.connection.id)),
  probeDialect: os.probeDialect.handler(({ context, input }) =>
    context.probe.start(input.names ?? probedNameSchema.options),
  ),
  probeFindings: os.probeFindings.handler(({ context }) => ({ findings: context.probe.findings() })),
}

/** The detection of field names on the open connection. */
export function createProbeFeature(parts: {
  client: ServiceClient
  cacheDb: Database
  fieldNames: FieldNames
  connection: () => Connection
  tasks: TasksService
  clock: Clock
  log: Log
}) {
  return { service: createDialectProbe({ ...parts, connectionId: parts.connection().id }) }
}
