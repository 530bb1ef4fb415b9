import type { Phrase, Said } from './phrases.ts'

/** Campaign states of the spec, in order. A service may send others. */
export const campaignStatuses = ['draft', 'running', 'paused', 'completed', 'cancelled'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

/** A campaign's status inside a sentence. One that the spec doesn't name is shown as sent. */
export function campaignStatusWord(status: string | null): Said {
  if (status === null) return { key: 'campaign.unknownState' }
  const known = campaignStatuses.find((one) => one === status)
  return known === undefined ? status : { key: `campaign.${known}` }
}

/** Delivery report states of the spec (Events). Others are shown as sent. */
export const dlrStatuses = ['submitted', 'delivered', 'failed', 'expired'] as const

/** Message states of the spec, in order. Others are shown as sent. */
export const messageStatuses = [
  'pending',
  'queued',
  'submitted',
  'delivered',
  'failed',
  'rejected',
  'expired',
] as const

/** Error codes of delivery reports in the spec (Events, dlr payload). */
export const reportCodes = ['1', '2', '3', '4'] as const

/** What the spec says about a delivery report's error code; null for other codes. */
export function reportCodeMeaning(code: string): Phrase | null {
  const known = reportCodes.find((one) => one === code)
  return known === undefined ? null : { key: `reportCode.code${known}` }
}

/** Final message states of the spec. */
const ends: readonly string[] = ['delivered', 'failed', 'rejected', 'expired']

/** Whether a status is final, as far as the spec says. */
export const hasEnded = (status: string | null): boolean => status !== null && ends.includes(status)

/**
 * Failed and sent messages by counts of reports: the base of every failed share. A message is sent once the carrier has it, or where no such
 * report comes, once it has ended.
 */
export function failedOfSent(counts: readonly { name: string; count: number }[]): {
  failed: number
  sent: number
} {
  const sum = (isCounted: (name: string) => boolean) =>
    counts.reduce((all, { name, count }) => all + (isCounted(name) ? count : 0), 0)
  return {
    failed: sum((name) => name === 'failed' || name === 'rejected'),
    sent: Math.max(
      sum((name) => name === 'submitted'),
      sum(hasEnded),
    ),
  }
}

/** States that other services have for messages that left or were stopped. Releasing one would send it twice, or against someone's will. */
const neverHeld = /^\s*(?:sent|read|seen|opened|undeliver(?:ed|able)|cancell?ed|aborted|deleted)\s*$/i

/**
 * Whether a message may be held. The spec doesn't show the state of a held message, so any state that isn't final or
 * submitted may be one.
 */
export const mayBeHeld = (status: string | null): boolean =>
  status === null || !(hasEnded(status) || status === 'submitted' || neverHeld.test(status))
