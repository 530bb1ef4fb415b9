import { implement } from '@orpc/server'
import { desktopContract } from '../../../contract/connection/desktop.ts'
import type { DesktopService } from './desktop.service.ts'

const os = implement(desktopContract).$context<{ desktop: DesktopService }>()

export const desktopHandlers = {
  requests: os.requests.handler(({ context, signal }) => context.desktop.requests(signal!)),
  done: os.done.handler(({ context, input }) => context.desktop.done(input.id)),
  takeFile: os.takeFile.handler(({ context, input }) => context.desktop.takeFile(input.id)),
  getSettings: os.getSettings.handler(({ context }) => context.desktop.getSettings()),
  setSettings: os.setSettings.handler(({ context, input }) => context.desktop.setSettings(input)),
  state: os.state.handler(({ context, signal }) => context.desktop.state(signal!)),
}
