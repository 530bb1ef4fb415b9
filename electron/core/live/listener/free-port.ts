import { once } from 'node:events'
import { createServer } from 'node:net'
import { portUser, thisConsole } from '../../../listener/port-user.ts'

/** So many ports are tried at most. */
const triedMax = 100
const portMax = 65_535

const reasons: Record<string, string> = {
  EACCES: 'this user may not listen on this port',
  EADDRNOTAVAIL: 'this computer does not have the address now',
}

/** Who uses a taken port. The console's own page and other parts of it are said to be its own. */
function takenBy(address: string, port: number, pagePort: number | undefined): string {
  if (port === pagePort) return 'Switchboard’s own page uses this port'
  const user = portUser(address, port)
  return user === thisConsole ? 'Switchboard itself uses this port' : `another program uses this port${user}`
}

/**
 * Why nobody can listen there right now, in words that fit into brackets; null where one can. Nothing is taken. `pagePort`: where
 * the host serves the console's own page, if it does.
 */
export async function whyNotFree(address: string, port: number, pagePort?: number): Promise<string | null> {
  const server = createServer()
  try {
    server.listen({ host: address, port, exclusive: true })
    await once(server, 'listening')
    return null
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    return code === 'EADDRINUSE' ? takenBy(address, port, pagePort) : (reasons[code] ?? message)
  } finally {
    server.close()
  }
}

/** The next port above `port` that nobody has at the address right now and that is not `reserved`; null when none was found. It is not taken. */
export async function nextFreePort(
  address: string,
  port: number,
  reserved: ReadonlySet<number>,
): Promise<number | null> {
  const last = Math.min(portMax, port + triedMax)
  for (let next = port + 1; next <= last; next++)
    if (!reserved.has(next) && (await whyNotFree(address, next)) === null) return next
  return null
}
