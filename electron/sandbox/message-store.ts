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

/** Old messages are dropped together, once so many more have come: one at a time costs ten times as much. */
const spareShare = 0.1

/** A tenant's messages: about `cap`, and those still open. */
export function createMessageStore(cap: number) {
  const byId = new Map<string, StoredMessage>()
  let kept = cap

  function dropOldestFinal(): void {
    for (const [id, { status }] of byId) {
      if (byId.size <= cap) break
      if (isFinal(status)) byId.delete(id)
    }
    kept = Math.max(cap, byId.size)
  }

  return {
    add(message: StoredMessage): void {
      byId.set(message.id, message)
      if (byId.size > kept * (1 + spareShare)) dropOldestFinal()
    },
    get: (id: string) => byId.get(id),
    /** A page, newest first, and the total; only those of `status` when given. */
    page(offset: number, limit: number, status?: MessageStatus): { items: StoredMessage[]; total: number } {
      const newestFirst = [...byId.values()].reverse()
      const found =
        status === undefined ? newestFirst : newestFirst.filter((message) => message.status === status)
      return { items: found.slice(offset, offset + limit), total: found.length }
    },
    /** Oldest first. */
    all: () => [...byId.values()],
  }
}
