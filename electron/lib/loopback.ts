import { isIPv4 } from 'node:net'

/**
 * True for hosts only this computer answers: `localhost`, 127.0.0.0/8 (RFC 1122, 3.2.1.3), `::1` with or
 * without brackets. Not names under `.localhost`: Node's resolver may ask DNS for them.
 */
export function isLoopbackHost(host: string): boolean {
  return (
    host.toLowerCase() === 'localhost' ||
    host === '::1' ||
    host === '[::1]' ||
    (isIPv4(host) && host.startsWith('127.'))
  )
}
