import type { Message, MessageId } from '#contract/domain.ts'
import type { EventRow } from '#contract/live/events.ts'
import type { MessageDetail, MessageRelease } from '#contract/views/messages.ts'
import { mayBeHeld } from '#contract/words.ts'
import { scriptedRow } from '../scripted-events.ts'
import type { Script } from './script.ts'
import { ago, hourMs, live, minuteMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

const texts = [
  'Your parcel is on its way and comes today between 14:00 and 16:00.',
  'Reminder: your appointment is on Monday at 09:30. Reply C to cancel.',
  'Code 448 201 signs you in. It is valid for ten minutes; tell it to nobody.',
  'שלום, ההזמנה שלך מוכנה לאיסוף',
]
const statuses = [
  'delivered',
  'delivered',
  'submitted',
  'failed',
  'pending',
  'queued',
  'awaiting_review',
  'expired',
]

/** A message with these members replaced; the rest as a talkative service gives it. */
export function aMessage(of: Partial<Omit<Message, 'id'>> & { id: string }): Message {
  return {
    tenantId: null,
    accountId: null,
    userId: 'u-ana',
    batchId: 'batch-17',
    from: '+15550100',
    to: '+15552000001',
    body: texts[0]!,
    status: 'delivered',
    partCount: 1,
    sellPrice: 0.045,
    costPrice: 0.0312,
    connectionId: 'conn-west',
    providerMessageId: 'p-8821',
    priority: 'normal',
    isEncrypted: false,
    sentAt: ago(9 * minuteMs),
    deliveredAt: ago(8 * minuteMs),
    createdAt: ago(10 * minuteMs),
    updatedAt: ago(8 * minuteMs),
    ...of,
    id: of.id as MessageId,
  }
}

/** `count` messages, newest first: every status of the spec except rejected, and one unknown. */
export function ordinaryMessages(count: number): Message[] {
  return Array.from({ length: count }, (_item, index) => {
    const status = statuses[index % statuses.length]!
    const createdAt = ago((index + 1) * 40_000)
    const hasLeft = !mayBeHeld(status)
    return aMessage({
      id: `msg-${9_000_000 - index}`,
      to: `+1555${String(2_000_000 + index * 7919).slice(0, 7)}`,
      body: texts[index % texts.length]!,
      status,
      partCount: (index % 3) + 1,
      sentAt: hasLeft ? createdAt : null,
      deliveredAt: status === 'delivered' ? createdAt : null,
      createdAt,
      updatedAt: createdAt,
    })
  })
}

/** A recorded release. */
export function aRelease(of: Partial<MessageRelease> & { messageId: string }): MessageRelease {
  return {
    seq: 1,
    state: 'released',
    statusAfter: 'queued',
    serviceText: 'the message was released for sending',
    problem: null,
    at: ago(minuteMs),
    ...of,
  }
}

/** A report about a message that arrived here. */
export const aReport = (of: Partial<EventRow> & { messageId: string }): EventRow =>
  scriptedRow(1_204_000, Date.now() - 8 * minuteMs, { number: '+15552000001', ...of })

const withoutEvents: Pick<
  MessageDetail,
  'events' | 'eventStatus' | 'campaign' | 'contradictions' | 'releases'
> = { events: [], eventStatus: null, campaign: null, contradictions: [], releases: [] }

/** A message without anything but its record. */
export const aDetail = (record: Message, of: Partial<MessageDetail> = {}): MessageDetail => ({
  id: record.id,
  outcome: 'found',
  record,
  freshness: live(),
  problem: null,
  ...withoutEvents,
  ...of,
})

/** A lookup of an ID unknown to the service. */
export const notFound = (id: string): MessageDetail => ({
  id,
  outcome: 'not-found',
  record: null,
  freshness: null,
  problem: {
    code: 'SERVICE_NOT_FOUND',
    acted: 'no',
    data: { serviceText: 'the message does not exist' },
  },
  ...withoutEvents,
})

/** A long list of messages. Releases do nothing. */
export function scriptedMessages(tasks: ScriptedTasks): Script['messages'] {
  const messages = ordinaryMessages(342)
  return {
    list: ({ page = 1, perPage = 100 }) => ({
      items: messages.slice((page - 1) * perPage, page * perPage),
      campaigns: [],
      total: messages.length,
      page,
      perPage,
      freshness: live(),
    }),
    get: ({ id }) => {
      const record = messages.find((message) => message.id === id)
      return record ? aDetail(record) : notFound(id)
    },
    reportedHere: () => ({ reports: [] }),
    release: ({ id }) => aRelease({ messageId: id }),
    planRelease: ({ messages: asked }) => ({
      etaMs: asked.length * 900,
      unknown: [],
      blocked: [],
      withoutNumber: 0,
      dncList: { state: 'fresh', asOf: ago(hourMs), teamReadAt: null, waits: null },
    }),
    releaseMany: () => ({
      runId: 'run-1',
      ...tasks.finish({ kind: 'message-release', subject: '12 messages', refId: 'run-1' }),
    }),
    run: () => null,
  }
}
