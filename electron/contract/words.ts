/** Campaign states of the spec, in the order of a campaign's life. A service may send others. */
export const campaignStatuses = ['draft', 'running', 'paused', 'completed', 'cancelled'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

/** Delivery report states of the spec (Events). A service may send others; they are shown as they come. */
export const dlrStatuses = ['submitted', 'delivered', 'failed', 'expired'] as const

/** Message states of the spec after which nothing more happens to a message. */
const ends: readonly string[] = ['delivered', 'failed', 'rejected', 'expired']

/** Whether a message of this status has come to its end, as far as the spec names ends. */
export const hasEnded = (status: string | null): boolean =>
  status !== null && ends.includes(status.toLowerCase())

/**
 * Whether a message of this status may be held, so that a release is worth asking for. The spec does not show which state marks a held
 * message, so any that is not known to lie behind a hold may be one.
 */
export const mayBeHeld = (status: string | null): boolean =>
  status === null || !(hasEnded(status) || status.toLowerCase() === 'submitted')
