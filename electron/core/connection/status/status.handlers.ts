import { implement } from '@orpc/server'
import type * as z from 'zod'
import {
  type aboutSchema,
  type DiagnosticFact,
  settingsContract,
} from '../../../contract/platform/settings.ts'
import { statusContract } from '../../../contract/connection/status.ts'
import type { ConnectionsService } from '../connections.service.ts'
import type { Notices, StatusService } from './status.service.ts'

const os = implement(statusContract).$context<{
  status: StatusService
  notices: Pick<Notices, 'dismiss'>
  connections: Pick<ConnectionsService, 'active'>
  connectionId?: string
}>()

export const statusHandlers = {
  watch: os.watch.handler(({ context, input, signal }) => context.status.watch(signal!, input?.connectionId)),
  dismissNotice: os.dismissNotice.handler(({ context, input }) => {
    const { connectionId = context.connections.active()?.connection().id } = context
    context.notices.dismiss(input.id, connectionId)
  }),
}

const settings = implement(settingsContract).$context<{
  about(): z.infer<typeof aboutSchema>
  diagnostics(connectionId?: string): Promise<DiagnosticFact[]>
  connectionId?: string
}>()

/** The part of the settings page about the app. */
export const aboutHandlers = {
  about: settings.about.handler(({ context }) => context.about()),
  diagnostics: settings.diagnostics.handler(async ({ context }) => ({
    facts: await context.diagnostics(context.connectionId),
  })),
}
