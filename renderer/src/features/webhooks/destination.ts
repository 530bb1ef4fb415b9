import { isLoopbackHost } from '../../shared/format/loopback.ts'

/** Where a subscription delivers. `wrong-place`: this computer, but not this listener. */
export type Destination = { kind: 'here' } | { kind: 'wrong-place'; place: string } | { kind: 'elsewhere' }

/** Bound to listen on every address. */
const everyAddress = /^(0\.0\.0\.0|\[::\])$/

/** Where `url` leads, given the listener’s URL; null while it doesn’t listen. Only a test can tell if a public address leads here. */
export function destinationOf(url: string, listenerUrl: string | null): Destination {
  if (url !== '' && url === listenerUrl) return { kind: 'here' }
  const target = URL.parse(url)
  if (!target) return { kind: 'elsewhere' }
  const listener = URL.parse(listenerUrl ?? '')
  const isThisComputer = isLoopbackHost(target.hostname)
  if (listener && isThisComputer && reaches(target, listener)) return { kind: 'here' }
  if (!isThisComputer) return { kind: 'elsewhere' }
  const samePort = listener !== null && target.port === listener.port
  return { kind: 'wrong-place', place: samePort ? target.host + target.pathname : target.host }
}

/** `localhost` is 127.0.0.1 or ::1. */
function reaches(target: URL, listener: URL): boolean {
  if (target.port !== listener.port || target.pathname !== listener.pathname) return false
  if (target.protocol !== listener.protocol) return false
  const { hostname } = listener
  return (
    everyAddress.test(hostname) ||
    target.hostname === hostname ||
    (target.hostname === 'localhost' && ['127.0.0.1', '[::1]'].includes(hostname))
  )
}
