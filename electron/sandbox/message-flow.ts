import type { Campaign, StoredMessage } from './message-store.ts'
import { type Tenant, partCountOf } from './tenant.ts'
import type { DlrEvent, DlrStatus, MessageStatus } from './wire.ts'
import { toTime } from './wire.ts'

export interface MessageStart {
  campaign: Campaign | null
  from: string
  to: string
  body: string
  userId: string
  held?: boolean
  /** Drawn if absent. */
  id?: string
  providerMessageId?: string
}

/** Creates a pending message and counts it in its campaign and hour. */
export function startMessage(tenant: Tenant, start: MessageStart, atMs: number): StoredMessage {
  const dice = tenant.trafficDice
  const id = start.id ?? dice.uuid()
  const message: StoredMessage = {
    id,
    campaign: start.campaign,
    batchId: start.campaign?.id ?? id,
    userId: start.userId,
    from: start.from,
    to: start.to,
    body: start.body,
    status: 'pending',
    held: start.held ?? false,
    connection: dice.whole(0, tenant.connections.length - 1),
    providerMessageId: start.providerMessageId ?? '',
    errorCode: null,
    createdMs: atMs,
    updatedMs: atMs,
    sentMs: null,
    deliveredMs: null,
  }
  tenant.messages.add(message)
  tenant.figures.at(atMs).total++
  if (start.campaign) {
    start.campaign.startedCount++
    start.campaign.openCount++
    start.campaign.updatedMs = atMs
  }
  return message
}

/** Allowed transitions; anything else is a bug in the sandbox. */
const moves: Record<MessageStatus, readonly MessageStatus[]> = {
  pending: ['queued'],
  queued: ['submitted', 'rejected'],
  submitted: ['delivered', 'failed', 'expired'],
  delivered: [],
  failed: [],
  rejected: [],
  expired: [],
}

/** The delivery report of each state; none before the carrier. */
const reports: Partial<Record<MessageStatus, DlrStatus>> = {
  submitted: 'submitted',
  delivered: 'delivered',
  failed: 'failed',
  expired: 'expired',
  rejected: 'failed',
}

/** The delivery report for the message's state, or null before the carrier. */
export function reportOf(message: StoredMessage): DlrEvent | null {
  const status = reports[message.status]
  return status === undefined
    ? null
    : {
        event: 'dlr',
        message_id: message.id,
        status,
        error_code: message.errorCode,
        destination: message.to,
        delivered_at: toTime(message.updatedMs),
      }
}

/** Moves a message to its next state and updates campaign, hour and charges. Charged on submission to the carrier. */
export function moveMessage(
  tenant: Tenant,
  message: StoredMessage,
  to: MessageStatus,
  errorCode: number | null,
  atMs: number,
): void {
  if (!moves[message.status].includes(to))
    throw new Error(`A message cannot go from ${message.status} to ${to}`)
  const { campaign } = message
  const hour = tenant.figures.at(message.createdMs)
  message.status = to
  message.updatedMs = atMs
  message.errorCode = errorCode
  if (to === 'submitted') {
    const connection = tenant.connections[message.connection]!
    const parts = partCountOf(message.body)
    const { currency } = connection
    message.sentMs = atMs
    message.providerMessageId ||= `p-${message.id.slice(0, 13)}`
    hour.revenue[currency] = (hour.revenue[currency] ?? 0) + connection.sellPrice * parts
    hour.cost[currency] = (hour.cost[currency] ?? 0) + connection.costPrice * parts
    tenant.charged += connection.sellPrice * parts
    if (campaign) campaign.sentCount++
  } else if (to !== 'queued') {
    if (to === 'delivered') {
      message.deliveredMs = atMs
      hour.delivered++
    } else {
      hour.failed++
      if (campaign) campaign.failedCount++
    }
    if (campaign) campaign.openCount--
  }
  if (campaign) campaign.updatedMs = atMs
}

/** Fills a template. Ignores spaces inside the braces. */
export function renderTemplate(body: string, values: Record<string, string | number>): string {
  return body.replace(/\{\{([^{}]*)\}\}/g, (_match, name: string) => String(values[name.trim()] ?? ''))
}

/** Variable names in a template's body. */
export function placeholdersOf(body: string): string[] {
  return [...new Set([...body.matchAll(/\{\{([^{}]*)\}\}/g)].map((match) => match[1]!.trim()))]
}
