import { connectionsContract } from '../../contract/connection/connections.ts'
import type { createConnectionActivity } from './connection-activity.ts'
import type { ConnectionsService } from './connections.service.ts'
import { handlersOf } from '../platform/rpc/handlers.ts'

interface Slice {
  connections: ConnectionsService
  activity: ReturnType<typeof createConnectionActivity>
}

export const connectionsHandlers = handlersOf(connectionsContract, ({ connections, activity }: Slice) => ({
  ...connections,
  open: ({ id }) => connections.open(id),
  watch: activity.watch,
}))
