import { implement } from '@orpc/server'
import { probedNameSchema } from '../../contract/dialect.ts'
import { settingsContract } from '../../contract/settings.ts'
import type { CoreContext } from '../context.ts'

const os = implement(settingsContract).$context<CoreContext>()

export const settingsHandlers = {
  getAppearance: os.getAppearance.handler(({ context }) => context.settings.appearance()),
  setAppearance: os.setAppearance.handler(({ context, input }) => context.settings.setAppearance(input)),
  getPlace: os.getPlace.handler(({ context }) => ({
    path: context.settings.place(context.workspace().connection().id),
  })),
  setPlace: os.setPlace.handler(({ context, input }) => {
    context.settings.setPlace(context.workspace().connection().id, input.path)
    return {}
  }),
  getDialect: os.getDialect.handler(({ context }) =>
    context.fieldNames.of(context.workspace().connection().id),
  ),
  setDialect: os.setDialect.handler(({ context, input }) =>
    context.fieldNames.set(context.workspace().connection().id, input),
  ),
  resetDialect: os.resetDialect.handler(({ context }) =>
    context.fieldNames.reset(context.workspace().connection().id),
  ),
  probeDialect: os.probeDialect.handler(({ context, input }) =>
    context.workspace().probe.start(input.names ?? probedNameSchema.options),
  ),
  probeFindings: os.probeFindings.handler(({ context }) => ({
    findings: context.workspace().probe.findings(),
  })),
  about: os.about.handler(({ context }) => context.about()),
  diagnostics: os.diagnostics.handler(async ({ context }) => ({ facts: await context.diagnostics() })),
}
