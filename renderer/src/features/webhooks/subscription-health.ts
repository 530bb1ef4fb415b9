import type { Subscription } from '#contract/live/webhooks.ts'
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
): SubscriptionHealth[] {
  return subscriptions.map((subscription) => {
    const { url, status, families, secretKnown } = subscription
    // The core knows the addresses of the relay and the tunnel. Both may be on this computer.
    const destination: Destination = subscription.pointsHere
      ? { kind: 'here' }
      : destinationOf(url, listenerUrl)
    const problems: string[] = []
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
    return { subscription, destination, place: t(`fields.${place}`), problems }
  })
}

/** True when one of them is known to deliver `family` to this listener. */
export const deliversHere = (health: readonly SubscriptionHealth[], family: 'dlr' | 'mo'): boolean =>
  health.some(
    ({ subscription, destination }) =>
      destination.kind === 'here' &&
      subscription.families.includes(family) &&
      (subscription.status === null || subscription.status === deliveringStatus),
  )
