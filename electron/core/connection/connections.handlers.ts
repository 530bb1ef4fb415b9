import { implement } from '@orpc/server'
import { type Connection, connectionsContract } from '../../contract/connection/connections.ts'
import type { createConnectionActivity } from './connection-activity.ts'
import type { ConnectionsService } from './connections.service.ts'

const os = implement(connectionsContract).$context<{
  connections: ConnectionsService
  connection: Connection
  activity: ReturnType<typeof createConnectionActivity>
}>()

export const connectionsHandlers = {
  list: os.list.handler(({ context }) => context.connections.list()),
  watch: os.watch.handler(({ context, signal }) => context.activity.watch(signal!)),
  setBackground: os.setBackground.handler(({ context, input }) => context.connections.setBackground(input)),
  connect: os.connect.handler(({ context, input, signal }) => context.connections.connect(input, signal)),
  openSandbox: os.openSandbox.handler(({ context }) => context.connections.openSandbox()),
  open: os.open.handler(({ context, input }) => context.connections.open(input.id)),
  update: os.update.handler(({ context, input }) => context.connections.update(input)),
  openDashboard: os.openDashboard.handler(({ context, input }) =>
    context.connections.openDashboard(input.id),
  ),
  signOut: os.signOut.handler(({ context, input }) => context.connections.signOut(input.id)),
  remove: os.remove.handler(({ context, input }) => context.connections.remove(input)),
  retryKeychain: os.retryKeychain.handler(({ context }) => context.connections.retryKeychain()),
}
