import type { Dice } from '../dice.ts'
import { renderTemplate } from '../message-flow.ts'
import type { Campaign } from '../message-store.ts'
import type { Tenant } from '../tenant.ts'
import { type MoEvent, toTime } from '../wire.ts'
import { campaignNames, givenNames, mobileRanges, replyTexts, stopTexts } from './texts.ts'

export function drawPhone(dice: Dice): string {
  const range = dice.pick(mobileRanges)
  return range.prefix + dice.digits(range.digits)
}

/** How a message ends, with the spec's delivery report codes. */
export interface Outcome {
  status: 'delivered' | 'failed' | 'expired' | 'rejected'
  errorCode: number | null
}

/** Share of messages outside campaigns that fail. */
export const singleFailShare = 0.05

/**
 * Draws how a message ends: a share of `failShare` fails, about a sixth of them by expiry and a tenth
 * rejected before the carrier; the rest have code 1 to 4.
 */
export function drawOutcome(dice: Dice, failShare: number): Outcome {
  const roll = dice.next()
  if (roll >= failShare) return { status: 'delivered', errorCode: null }
  const part = roll / failShare
  if (part < 0.1) return { status: 'rejected', errorCode: 4 }
  if (part < 0.26) return { status: 'expired', errorCode: null }
  if (part < 0.5) return { status: 'failed', errorCode: 1 }
  if (part < 0.82) return { status: 'failed', errorCode: 2 }
  if (part < 0.9) return { status: 'failed', errorCode: 3 }
  return { status: 'failed', errorCode: 4 }
}

/** Share of delivered messages that get a reply. */
export const replyShare = 0.05
/** Share of replies that are opt-out keywords. */
const optOutShare = 0.15

/** An inbound message with a reply. */
export function drawReply(dice: Dice, from: string, to: string, atMs: number): MoEvent {
  return {
    event: 'mo',
    content: dice.chance(optOutShare) ? dice.pick(stopTexts) : dice.pick(replyTexts),
    message_id: dice.uuid(),
    source: from,
    destination: to,
    received_at: toTime(atMs),
  }
}

/** A believable value of a template's variable. */
function drawValue(dice: Dice, name: string, type: string): string | number {
  if (name === 'percent') return dice.whole(2, 8) * 5
  if (type === 'number') return dice.whole(5, 900)
  if (name === 'name') return dice.pick(givenNames)
  if (name === 'time') return `${dice.whole(8, 17)}:${dice.pick(['00', '15', '30', '45'])}`
  if (name === 'day') return dice.pick(['today', 'tomorrow', 'on Friday'])
  return `${dice.pick(['A', 'K', 'R', 'X'])}${dice.digits(5)}`
}

/** The text of a message: a template of the tenant, filled. `to` is the recipient's name, if known. */
export function textFor(tenant: Tenant, dice: Dice, campaign: Campaign | null, to?: string): string {
  const template =
    tenant.trafficTemplates.find((candidate) => candidate.id === campaign?.templateId) ??
    dice.pick(tenant.trafficTemplates)
  const values = Object.fromEntries(
    Object.entries(template.variables).map(([name, type]) => [name, drawValue(dice, name, type)]),
  )
  if (to !== undefined && 'name' in values) values['name'] = to.split(' ')[0]!
  return renderTemplate(template.body, values)
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

/** How long a campaign lasts when three share the traffic. */
const campaignSpanSeconds = { least: 600, most: 2_400 }

/** A new draft, sized to run for ten to forty minutes at the tenant's rate. */
export function newCampaign(tenant: Tenant, dice: Dice, messagesPerSecond: number, atMs: number): Campaign {
  const spanSeconds = dice.whole(campaignSpanSeconds.least, campaignSpanSeconds.most)
  const month = months[new Date(atMs).getUTCMonth()]
  return {
    id: dice.uuid(),
    name: `${dice.pick(campaignNames)}, ${month} ${dice.whole(1, 28)}`,
    templateId: dice.pick(tenant.trafficTemplates).id,
    senderId: dice.pick(tenant.senders),
    status: 'draft',
    totalRecipients: Math.max(120, Math.round((messagesPerSecond / 3) * spanSeconds)),
    sentCount: 0,
    failedCount: 0,
    startedCount: 0,
    openCount: 0,
    failShare: 0.02 + dice.next() * dice.next() * 0.25,
    startedMs: null,
    completedMs: null,
    createdMs: atMs,
    updatedMs: atMs,
  }
}
