import type { PhraseKey, Said } from '../../../contract/phrases.ts'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** Number of ports tried. */
const triedMax = 100
const portMax = 65_535

const reasons: Record<string, PhraseKey> = {
  EADDRINUSE: 'listener.portUsed',
  EACCES: 'listener.mayNot',
  EADDRNOTAVAIL: 'listener.noAddress',
}

/** Why a listener can't start at an address now; null if the port is free. Doesn't keep the port. */
async function listenError(address: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const server = createServer()
  try {
    server.listen({ host: address, port, exclusive: true })
    await once(server, 'listening')
    return null
  } catch (error) {
    return error as NodeJS.ErrnoException
  } finally {
    server.close()
  }
}

/** Why a listener can't start at an address now; null if it can. `pagePort`: of the host's own page, if any. */
export async function whyNotFree(address: string, port: number, pagePort?: number): Promise<Said | null> {
  const error = await listenError(address, port)
  if (error === null) return null
  const { code = '', message } = error
  if (code === 'EADDRINUSE' && port === pagePort) return { key: 'listener.portOfPage' }
  return reasons[code] ? { key: reasons[code] } : message
}

/** The next free port above `port`; null when none is found. */
export async function nextFreePort(address: string, port: number): Promise<number | null> {
  const last = Math.min(portMax, port + triedMax)
  for (let next = port + 1; next <= last; next++) if ((await listenError(address, next)) === null) return next
  return null
}

/** IANA's dynamic ports (RFC 6335 §6), the default of macOS and Windows. */
const defaultRange = { from: 49_152, to: 65_535 }

/**
 * The ports this computer assigns to outgoing connections (on Linux: ip(7), "ip_local_port_range"). A listener
 * in this range may find its port taken, even by the client that wants to reach it.
 */
export function outgoingPorts(): { from: number; to: number } {
  if (process.platform !== 'linux') return defaultRange
  try {
    const text = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    const [from, to] = text.trim().split(/\s+/).map(Number)
    return from !== undefined && to !== undefined && from <= to ? { from, to } : defaultRange
  } catch {
    return defaultRange
  }
}
