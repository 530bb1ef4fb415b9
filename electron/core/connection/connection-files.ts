import { join } from 'node:path'

/** The folder of a connection's databases. */
export const connectionDir = (dataDir: string, connectionId: string) =>
  join(dataDir, 'connections', connectionId)
