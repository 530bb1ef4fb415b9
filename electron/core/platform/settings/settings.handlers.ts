import { implement } from '@orpc/server'
import type { Connection } from '../../../contract/connection/connections.ts'
import { settingsContract } from '../../../contract/platform/settings.ts'
import type { SettingsService } from './settings.service.ts'

const os = implement(settingsContract).$context<{ settings: SettingsService; connection: Connection }>()

export const settingsHandlers = {
  getAppearance: os.getAppearance.handler(({ context }) => context.settings.appearance()),
  setAppearance: os.setAppearance.handler(({ context, input }) => context.settings.setAppearance(input)),
  getPlace: os.getPlace.handler(({ context }) => ({ path: context.settings.place(context.connection.id) })),
  setPlace: os.setPlace.handler(({ context, input }) =>
    context.settings.setPlace(context.connection.id, input.path),
  ),
}
