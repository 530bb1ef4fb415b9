/** Campaign states of the spec, in order. A service may send others. */
export const campaignStatuses = ['draft', 'running', 'paused', 'completed', 'cancelled'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

/** Delivery report states of the spec (Events). Others are shown as sent. */
export const dlrStatuses = ['submitted', 'delivered', 'failed', 'expired'] as const

/** Final message states of the spec. */
const ends: readonly string[] = ['delivered', 'failed', 'rejected', 'expired']

/** Whether a status is final, as far as the spec says. */
export const hasEnded = (status: string | null): boolean =>
  status !== null && ends.includes(status.toLowerCase())

/**
 * Whether a message may be held. The spec doesn't show the state of a held message, so any state that isn't final or
 * submitted may be one.
 */
export const mayBeHeld = (status: string | null): boolean =>
  status === null || !(hasEnded(status) || status.toLowerCase() === 'submitted')
