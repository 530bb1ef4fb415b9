import type { PhraseKey } from '../../../contract/phrases.ts'

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
  /** By the last list, of the subscriptions that bring inbound messages here. `missing`: no secret is known. `arrives`: one's secret proved deliveries. */
  subscription: 'missing' | 'arrives' | null
  /** Messages arrived before, and no subscription points here now. */
  isUnsubscribed: boolean
  /** Deliveries rejected for their signature, unless the same body arrived in another one. */
  unproven: number
  /** All stored deliveries became events. */
  isRead: boolean
}

export type InboundProblem = Extract<PhraseKey, `inbound.${string}`>

/**
 * Why inbound messages, and so opt-outs, can't be read. Null while they can, and where nothing was ever set up. Secrets and the token
 * are known once the listener has started.
 */
export function inboundProblem(now: Receiving): InboundProblem | null {
  if (now.isSetUp) {
    if (now.listener === 'starting') return 'inbound.reading'
    if (now.relay === 'no-token') return 'inbound.token'
    if (now.relay === 'failed') return 'inbound.relay'
    if (now.missingSecrets > 0) return 'inbound.secret'
    if (now.listener === 'failed') return 'inbound.listener'
    if (now.relay === 'behind') return 'inbound.reading'
  }
  if (now.isSetUp || now.hasReceived) {
    if (now.isUnsubscribed) return 'inbound.subscription'
    if (now.subscription === 'missing') return 'inbound.secret'
    // While inbound messages arrive, others are duplicates of an old subscription, or junk at a public port.
    if (now.unproven > 0 && now.subscription !== 'arrives') return 'inbound.rejected'
  }
  return now.isRead ? null : 'inbound.reading'
}
