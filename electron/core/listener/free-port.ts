import { once } from 'node:events'
import { createServer } from 'node:net'

/** So many ports are tried at most. */
const triedMax = 100
const portMax = 65_535

async function isFree(address: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ host: address, port, exclusive: true })
    await once(server, 'listening')
    return true
  } catch {
    return false
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
    if (!reserved.has(next) && (await isFree(address, next))) return next
  return null
}
