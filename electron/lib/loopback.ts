import { isIPv4 } from 'node:net'

/**
 * True for a host that only this computer answers: `localhost`, an address of 127.0.0.0/8 (RFC 1122, 3.2.1.3) or `::1`, the
 * last also in the brackets of a URL. Names under `.localhost` are not: Node hands them to the resolver, which may ask DNS.
 */
export function isLoopbackHost(host: string): boolean {
  return (
    host.toLowerCase() === 'localhost' ||
    host === '::1' ||
    host === '[::1]' ||
    (isIPv4(host) && host.startsWith('127.'))
  )
}
