import { readFileSync } from 'node:fs'

/** Linux's range (ip(7), "ip_local_port_range"). */
const rangeFile = '/proc/sys/net/ipv4/ip_local_port_range'
/** IANA's dynamic ports (RFC 6335 §6), the default of macOS and Windows. */
const usualRange = { from: 49_152, to: 65_535 }

/**
 * The ports this computer assigns to outgoing connections. A listener in this range may find its port taken,
 * even by the client that wants to reach it.
 */
export function outgoingPorts(file = rangeFile): { from: number; to: number } {
  if (process.platform !== 'linux') return usualRange
  try {
    const [from, to] = readFileSync(file, 'utf8').trim().split(/\s+/).map(Number)
    return from !== undefined && to !== undefined && from <= to ? { from, to } : usualRange
  } catch {
    return usualRange
  }
}
