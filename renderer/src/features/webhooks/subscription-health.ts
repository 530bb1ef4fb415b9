import type { Silence } from '#contract/live/listener.ts'
import type { Subscription } from '#contract/live/webhooks.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { t } from './webhooks.texts.ts'
import { isLoopbackHost } from '../../shared/format/loopback.ts'

/** Where a subscription delivers. `wrong-place`: this computer, but not this listener. */
type Destination = { kind: 'here' } | { kind: 'wrong-place'; place: string } | { kind: 'elsewhere' }

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

export interface SubscriptionHealth {
  subscription: Subscription
  destination: Destination
  /** Its destination in words. */
  place: string
  /** Problems, worst first. */
  problems: string[]
  look: StatusLook
}

/** What the listener and the network say about deliveries. */
interface Receiving {
  silence: Silence | null
  /** The service answers, so the list is current. */
  isReachable: boolean
}

/** The only status in the spec. Any other counts as a problem. */
const deliveringStatus = 'active'

/** The status as it is shown: an unknown word as it came. */
export const statusText = (status: string | null): string =>
  status === deliveringStatus ? t('fields.active') : (status ?? t('fields.unknown'))

const familiesOverlap = (a: Subscription, b: Subscription) =>
  a.families.some((family) => b.families.includes(family))

/** The health of each subscription for the listener and the relay at these URLs, null while there is none. */
export function healthOf(
  subscriptions: readonly Subscription[],
  listenerUrl: string | null,
  relayUrl: string | null,
  receiving: Receiving,
): SubscriptionHealth[] {
  return subscriptions.map((subscription) => {
    const { url, status, families, secretKnown } = subscription
    // The core knows the addresses of the relay and the tunnel. Both may be on this computer.
    const destination: Destination = subscription.pointsHere
      ? { kind: 'here' }
      : destinationOf(url, listenerUrl)
    const problems: string[] = []
    const isSilent = receiving.silence?.kind === 'no-reports' && families.includes('dlr')
    if (destination.kind === 'here' && isSilent) problems.push(t('health.no-reports'))
    if (status !== null && status !== deliveringStatus) problems.push(t('health.status', { status }))
    if (destination.kind === 'wrong-place') problems.push(t('health.place', { place: destination.place }))
    if (destination.kind === 'here' && !secretKnown) problems.push(t('health.secret'))
    if (families.length === 0) problems.push(t('health.events'))
    const twin = subscriptions.find(
      (other) =>
        other !== subscription && other.url === url && url !== '' && familiesOverlap(other, subscription),
    )
    if (twin) problems.push(t('health.duplicate'))
    const place = destination.kind !== 'here' ? 'elsewhere' : url === relayUrl ? 'relay' : 'here'
    const look = lookOf(problems, destination, receiving)
    return { subscription, destination, place: t(`fields.${place}`), problems, look }
  })
}

/** Good only while nothing says otherwise: in a silence, an address elsewhere may be the one that should lead here. */
function lookOf([problem]: string[], { kind }: Destination, { silence, isReachable }: Receiving): StatusLook {
  if (problem) return { label: problem, tone: silence && kind === 'here' ? 'bad' : 'warn', icon: 'warning' }
  if (!isReachable || (silence && kind !== 'here'))
    return { label: t('fields.unknown'), tone: 'quiet', icon: 'dot' }
  return { label: t('fields.healthy'), tone: 'ok', icon: 'check' }
}

/** True when one of them is known to deliver `family` to this listener. */
const deliversHere = (health: readonly SubscriptionHealth[], family: 'dlr' | 'mo'): boolean =>
  health.some(
    ({ subscription, destination }) =>
      destination.kind === 'here' &&
      subscription.families.includes(family) &&
      (subscription.status === null || subscription.status === deliveringStatus),
  )

/** `delivery reports and inbound messages`; empty for none. */
const familiesText = ([one, other]: Subscription['families']): string =>
  one === undefined ? '' : t(`families.${other === undefined ? one : 'both'}`)

/** The service’s names of events, with the two usual ones in plain words. */
export const eventsText = (events: readonly string[]): string =>
  events
    .map((name) => (name === 'dlr' || name === 'mo' ? t(`families.${name}`) : visibleText(name)))
    .join(', ')

/** Warns of events that no subscription is known to deliver here; null if all are delivered. An address elsewhere, or of another program here, may be a forwarder. */
export function missingText(health: readonly SubscriptionHealth[]): string | null {
  const families = (['dlr', 'mo'] as const).filter((family) => !deliversHere(health, family))
  if (health.length === 0 || families.length === 0) return null
  const mayLeadHere = health.some(({ destination }) => destination.kind !== 'here')
  return t(mayLeadHere ? 'missing.test' : 'missing.none', { families: familiesText(families) })
}
