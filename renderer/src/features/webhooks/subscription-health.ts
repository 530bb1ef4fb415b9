import type { Silence } from '#contract/live/listener.ts'
import type { Subscription } from '#contract/live/webhooks.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import { type Destination, destinationOf } from './destination.ts'
import { t } from './webhooks.texts.ts'

/** A subscription and its problems. */
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
export const deliversHere = (health: readonly SubscriptionHealth[], family: 'dlr' | 'mo'): boolean =>
  health.some(
    ({ subscription, destination }) =>
      destination.kind === 'here' &&
      subscription.families.includes(family) &&
      (subscription.status === null || subscription.status === deliveringStatus),
  )
