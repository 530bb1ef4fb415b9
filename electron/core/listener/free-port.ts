import { once } from 'node:events'
import { createServer } from 'node:net'

/** So many ports are tried at most. */
const triedMax = 100
const portMax = 65_535

const reasons: Record<string, string> = {
  EADDRINUSE: 'another program uses this port',
  EACCES: 'this user may not listen on this port',
  EADDRNOTAVAIL: 'this computer does not have the address now',
}

/** Why nobody can listen there right now, in words that fit into brackets; null where one can. Nothing is taken. */
export async function whyNotFree(address: string, port: number): Promise<string | null> {
  const server = createServer()
  try {
    server.listen({ host: address, port, exclusive: true })
    await once(server, 'listening')
    return null
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    return reasons[code] ?? message
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
