import { type InboundProblem, inboundProblemSchema } from '../../../contract/people/outbox.ts'

/** What a connection knows of its ways to receive. */
export interface Receiving {
  /** A delivery was accepted at any time. */
  hasReceived: boolean
  listener: 'starting' | 'ready' | 'failed'
  /** `behind`: something may wait there. */
  relay: 'none' | 'read' | 'behind' | 'failed' | 'no-token'
  /** Active secrets whose values can't be read. */
  missingSecrets: number
  /** Of those that bring inbound messages here, by the last list. Null: unknown, as where the service refuses the list. */
  subscription:
    | 'missing' // no secret is known
    | 'arrives' // a secret proved deliveries, just now if the service hides it
    | 'arrived' // a secret that the service hides proved some earlier
    | 'none' // by two lists
    | 'unconfirmed' // none, by one list
    | 'unread' // not since the start, a sign-in or an outage
    | 'failing' // only the list can't be read
    | null
  /** Deliveries rejected for their signature, unless the same body arrived in another one. */
  unproven: number
  /** All stored deliveries became events. */
  isRead: boolean
}

/** Why inbound messages, and so opt-outs, can't be read. None while they can. Secrets and the token are known once the listener has started. */
export function inboundProblems(now: Receiving): InboundProblem[] {
  const { subscription } = now
  if (now.listener === 'starting') return ['inbound.checking']
  // A subscription that brings inbound messages replaces the one whose secret is lost.
  const isReplaced = subscription === 'arrives' || subscription === 'arrived'
  const lacksSecret = subscription === 'missing' || (now.missingSecrets > 0 && !isReplaced)
  const isUnconfirmed = subscription === 'unconfirmed'
  const found: Partial<Record<InboundProblem, boolean>> = {
    'inbound.token': now.relay === 'no-token',
    'inbound.relay': now.relay === 'failed',
    'inbound.secret': lacksSecret,
    'inbound.listener': now.listener === 'failed',
    // Where nothing ever arrived, one list without any says enough.
    'inbound.subscription': subscription === 'none' || (isUnconfirmed && !now.hasReceived),
    'inbound.list': subscription === 'failing',
    // A missing secret rejects what it signed. While inbound messages arrive, others are old duplicates or junk at a public port.
    'inbound.rejected': now.unproven > 0 && !lacksSecret && subscription !== 'arrives',
    'inbound.reading': !now.isRead || now.relay === 'behind',
    'inbound.checking': subscription === 'unread' || (isUnconfirmed && now.hasReceived),
  }
  return inboundProblemSchema.options.filter((problem) => found[problem])
}
