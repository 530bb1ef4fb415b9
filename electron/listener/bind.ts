import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError } from '../contract/errors.ts'

function bindError(error: NodeJS.ErrnoException, host: string, port: number): AppError {
  const options = { cause: error }
  switch (error.code) {
    case 'EADDRINUSE':
      return new AppError('PORT_TAKEN', { port }, options)
    case 'EACCES':
    case 'EPERM':
      return new AppError('PORT_FORBIDDEN', { port }, options)
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new AppError('ADDRESS_UNAVAILABLE', { address: host }, options)
    default:
      return new AppError('LISTENER_FAILED', { detail: error.message }, options)
  }
}

/** Binds `server` to this address and port: `PORT_TAKEN`, `PORT_FORBIDDEN`, `ADDRESS_UNAVAILABLE`, `LISTENER_FAILED`. */
export async function bind(
  server: Server,
  host: string,
  port: number,
): Promise<{ address: string; port: number }> {
  server.listen({ host, port, exclusive: true, backlog: 511 })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw bindError(error as NodeJS.ErrnoException, host, port)
  }
  const bound = server.address() as AddressInfo
  return { address: bound.address, port: bound.port }
}
