import { join } from 'node:path'

/** The folder of a connection's databases. */
export const connectionDir = (dataDir: string, connectionId: string) =>
  join(dataDir, 'connections', connectionId)

/** Setting with the date of the backup of a restored connection, until its outbox is resumed. */
export const restoredKey = (connectionId: string) => `connection/${connectionId}/restored`
