import { statusContract } from '../../../contract/connection/status.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'
import type { ConnectionsService } from '../connections.service.ts'
import type { Notices, StatusService } from './status.service.ts'

interface Slice {
  status: StatusService
  notices: Pick<Notices, 'dismiss'>
  connections: Pick<ConnectionsService, 'active'>
  connectionId?: string
}

export const statusHandlers = handlersOf(
  statusContract,
  ({ status, notices, connections, connectionId }: Slice) => ({
    watch: (shown, signal) => status.watch(signal, shown?.connectionId),
    dismissNotice: ({ id }) => notices.dismiss(id, connectionId ?? connections.active()?.connection().id),
  }),
)
