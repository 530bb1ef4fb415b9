import { readFileSync } from 'node:fs'

/** Linux tells its range here (ip(7), "ip_local_port_range"). */
const rangeFile = '/proc/sys/net/ipv4/ip_local_port_range'
/** IANA's dynamic ports (RFC 6335 §6), which macOS and Windows take unless set otherwise. */
const usualRange = { from: 49_152, to: 65_535 }

/**
 * The ports that this computer gives to outgoing connections. A listener among them can find its port taken, even by the program
 * that tries to reach it: a connection to an unused port of this computer may be given that same port.
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
