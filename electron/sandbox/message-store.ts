import type { CampaignStatus, MessageStatus } from './wire.ts'

/** `sentCount` and `failedCount` are exact counts of its messages. */
export interface Campaign {
  id: string
  name: string
  templateId: string
  senderId: string
  status: CampaignStatus
  totalRecipients: number
  /** Messages submitted to a carrier. */
  sentCount: number
  /** Messages that ended failed, rejected or expired. */
  failedCount: number
  /** Messages created. */
  startedCount: number
  /** Messages created but not final. */
  openCount: number
  /** Share of its messages that fail. */
  failShare: number
  startedMs: number | null
  completedMs: number | null
  createdMs: number
  updatedMs: number
}

/** Kept small: a tenant has many. */
export interface StoredMessage {
  id: string
  /** Null for a single message. */
  campaign: Campaign | null
  batchId: string
  userId: string
  from: string
  to: string
  body: string
  status: MessageStatus
  /** Held until released. Not on the wire: the spec shows no state for it. */
  held: boolean
  /** Index into the tenant's connections. */
  connection: number
  providerMessageId: string
  /** 1 to 4 after a failure, else null. */
  errorCode: number | null
  createdMs: number
  updatedMs: number
  sentMs: number | null
  deliveredMs: number | null
}

export function isFinal(status: MessageStatus): boolean {
  return status === 'delivered' || status === 'failed' || status === 'rejected' || status === 'expired'
}

export type MessageStore = ReturnType<typeof createMessageStore>

/** How far to search for a final message to drop before the store exceeds its cap. */
const dropSearchDepth = 500

/** A tenant's messages, at most `cap` plus those still open. */
export function createMessageStore(cap: number) {
  const byId = new Map<string, StoredMessage>()
  let order: (StoredMessage | undefined)[] = []
  let head = 0

  function dropOldestFinal(): void {
    const end = Math.min(order.length, head + dropSearchDepth)
    let at = head
    while (at < end && !isFinal(order[at]!.status)) at++
    if (at >= end) return
    byId.delete(order[at]!.id)
    for (; at > head; at--) order[at] = order[at - 1]
    order[head] = undefined
    head++
    if (head > 16_384 && head * 2 > order.length) {
      order = order.slice(head)
      head = 0
    }
  }

  return {
    add(message: StoredMessage): void {
      byId.set(message.id, message)
      order.push(message)
      if (byId.size > cap) dropOldestFinal()
    },
    get: (id: string) => byId.get(id),
    /** A page, newest first, and the total; only those of `status` when given. */
    page(offset: number, limit: number, status?: MessageStatus): { items: StoredMessage[]; total: number } {
      const items: StoredMessage[] = []
      if (status === undefined) {
        for (let at = order.length - 1 - offset; at >= head && items.length < limit; at--)
          items.push(order[at]!)
        return { items, total: byId.size }
      }
      let total = 0
      for (let at = order.length - 1; at >= head; at--) {
        const message = order[at]!
        if (message.status !== status) continue
        if (total >= offset && items.length < limit) items.push(message)
        total++
      }
      return { items, total }
    },
    /** Oldest first. */
    all: () => order.slice(head) as StoredMessage[],
  }
}
