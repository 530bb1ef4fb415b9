import type { Subscription } from '#contract/webhooks.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { type Destination, destinationOf } from './destination.ts'

/** A subscription with what can be said of it from here. */
export interface SubscriptionHealth {
  subscription: Subscription
  destination: Destination
  /** The words an operator reads, worst first; empty when all is well. */
  doubts: string[]
}

/** States in which a service is known to deliver; another word is shown as a doubt, since the spec lists only this one. */
const deliveringStatus = 'active'

const familiesOverlap = (a: Subscription, b: Subscription) =>
  a.families.some((family) => b.families.includes(family))

/** What each subscription is worth to the listener at `listenerUrl`, null while it does not listen. */
export function healthOf(
  subscriptions: readonly Subscription[],
  listenerUrl: string | null,
): SubscriptionHealth[] {
  return subscriptions.map((subscription) => {
    const { url, status, families, secretKnown } = subscription
    const destination = destinationOf(url, listenerUrl)
    const doubts: string[] = []
    if (status !== null && status !== deliveringStatus)
      doubts.push(`The service calls it “${visibleText(status)}”: it may not deliver.`)
    if (destination.kind === 'wrong-place')
      doubts.push(`It points to ${destination.place} on this computer, where this console does not listen.`)
    if (destination.kind === 'here' && !secretKnown)
      doubts.push('Its secret is not known here: what it delivers is refused.')
    if (families.length === 0) doubts.push('None of its event names is known here.')
    const twin = subscriptions.find(
      (other) =>
        other !== subscription && other.url === url && url !== '' && familiesOverlap(other, subscription),
    )
    if (twin)
      doubts.push('Another subscription delivers the same events to the same address: each comes twice.')
    return { subscription, destination, doubts }
  })
}

/** True when one of them delivers `family` to this listener, as far as can be seen from here. */
export const deliversHere = (health: readonly SubscriptionHealth[], family: 'dlr' | 'mo'): boolean =>
  health.some(
    ({ subscription, destination }) =>
      destination.kind === 'here' &&
      subscription.families.includes(family) &&
      (subscription.status === null || subscription.status === deliveringStatus),
  )
