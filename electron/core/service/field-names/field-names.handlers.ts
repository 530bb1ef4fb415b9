import { implement } from '@orpc/server'
import type { Connection } from '../../../contract/connections.ts'
import { probedNameSchema } from '../../../contract/dialect.ts'
import { settingsContract } from '../../../contract/settings.ts'
import type { DialectProbe } from './dialect-probe.ts'
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
