import { desktopContract } from '../../../contract/connection/desktop.ts'
import type { DesktopService } from './desktop.service.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const desktopHandlers = handlersOf(
  desktopContract,
  ({ desktop }: { desktop: DesktopService }) => desktop,
)
