import { type InboundProblem, inboundProblemSchema } from '../../../contract/people/outbox.ts'

/** What a connection knows of its ways to receive. */
export interface Receiving {
  /** A secret or a relay was set up, readable now or not. */
  isSetUp: boolean
  /** A delivery was accepted at any time. */
  hasReceived: boolean
  listener: 'starting' | 'ready' | 'failed'
  /** `behind`: something may wait there. */
  relay: 'none' | 'read' | 'behind' | 'failed' | 'no-token'
  /** Active secrets whose values can't be read. */
  missingSecrets: number
  /**
   * By the last list, of the subscriptions that bring inbound messages here. `missing`: no secret is known. `arrives`: one's secret proved
   * deliveries. `none`: there is none, by two lists; `unconfirmed`: by one. `unread`: the list wasn't read yet since the start.
   */
  subscription: 'missing' | 'arrives' | 'none' | 'unconfirmed' | 'unread' | null
  /** Messages arrived before, and no subscription points here now. */
  isUnsubscribed: boolean
  /** Deliveries rejected for their signature, unless the same body arrived in another one. */
  unproven: number
  /** All stored deliveries became events. */
  isRead: boolean
}

/**
 * Why inbound messages, and so opt-outs, can't be read. None while they can, and where nothing was ever set up. Secrets and the token
 * are known once the listener has started.
 */
export function inboundProblems(now: Receiving): InboundProblem[] {
  const { isSetUp, hasReceived, subscription } = now
  if (isSetUp && now.listener === 'starting') return ['inbound.reading']
  const isExpected = isSetUp || hasReceived
  const lacksSecret = (isSetUp && now.missingSecrets > 0) || (isExpected && subscription === 'missing')
  const found: Partial<Record<InboundProblem, boolean>> = {
    'inbound.token': isSetUp && now.relay === 'no-token',
    'inbound.relay': isSetUp && now.relay === 'failed',
    'inbound.secret': lacksSecret,
    'inbound.listener': isSetUp && now.listener === 'failed',
    'inbound.subscription': (isExpected && now.isUnsubscribed) || (hasReceived && subscription === 'none'),
    // A missing secret rejects what it signed. While inbound messages arrive, others are duplicates of an old subscription, or junk at a
    // public port.
    'inbound.rejected': isExpected && now.unproven > 0 && !lacksSecret && subscription !== 'arrives',
    'inbound.reading':
      !now.isRead ||
      (isSetUp && now.relay === 'behind') ||
      (isExpected && subscription === 'unread') ||
      (hasReceived && subscription === 'unconfirmed'),
  }
  return inboundProblemSchema.options.filter((problem) => found[problem])
}
