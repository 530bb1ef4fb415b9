/** Campaign states of the spec, in the order of a campaign's life. A service may send others. */
export const campaignStatuses = ['draft', 'running', 'paused', 'completed', 'cancelled'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

/** Delivery report states of the spec (Events). A service may send others; they are shown as they come. */
export const dlrStatuses = ['submitted', 'delivered', 'failed', 'expired'] as const
