import {
  type OutboxBatch,
  type OutboxDrain,
  type OutboxItem,
  type OutboxState,
  type OutboxStatus,
  outboxStatusSchema,
  type UndoableDeletion,
} from '#contract/people/outbox.ts'
import type { ErrorView } from '#contract/define.ts'
import type { Script } from './script.ts'
import { ago, createBroadcast, hourMs, minuteMs } from './broadcast.ts'

const states = outboxStatusSchema.options
const problems: Partial<Record<OutboxState, ErrorView>> = {
  rejected: {
    code: 'SERVICE_REJECTED',
    acted: 'no',
    data: { serviceText: 'phone is not a mobile number' },
  },
  unknown: {
    code: 'OUTCOME_UNKNOWN',
    acted: 'no',
    data: { host: 'api.messaging.example', call: 'POST /contacts' },
  },
}
const names = ['Ada Lovelace', 'Grace Hopper', 'José Álvarez', '李小龙', 'Ngozi Okafor', 'Zoë van Dijk']

/** `count` items of one batch, each in the state of `stateOf`. */
export function outboxItems(
  count: number,
  firstId: number,
  batchId: string,
  operation: OutboxItem['operation'],
  stateOf: (index: number) => OutboxState,
): OutboxItem[] {
  return Array.from({ length: count }, (_item, index) => {
    const state = stateOf(index)
    const sent = ['in-flight', 'done', 'rejected', 'unknown'].includes(state)
    return {
      id: firstId + index,
      batchId,
      operation,
      state,
      name: `${names[index % names.length]} ${firstId + index}`,
      phone: `+4915${String(20_000_000 + firstId + index)}`,
      contactId: firstId + index,
      serviceId: state === 'done' || operation === 'delete-contact' ? `con-${firstId + index}` : null,
      serviceStatus: state === 'done' && operation === 'send-ott' ? 'delivered' : null,
      answer:
        state === 'done' && operation === 'send-ott'
          ? {
              providerMessageId: `prov-${firstId + index}`,
              channelId: 'channel-1',
              templateId: 'template-1',
              body: 'Hi Ada, you have 12 points.',
              createdAt: '2026-01-05T09:00:00.000Z',
              updatedAt: null,
            }
          : null,
      attempts: sent ? 1 : 0,
      problem: problems[state] ?? null,
      queuedAt: ago(20 * minuteMs - index),
      notBefore: null,
      sentAt: sent ? ago(4 * minuteMs - index) : null,
      endedAt: ['done', 'rejected', 'cancelled'].includes(state) ? ago(3 * minuteMs) : null,
      resolution: null,
    }
  })
}

type Batch = Omit<OutboxBatch, 'counts'>
const batch = (id: string, title: string, agoMs: number, of: Partial<Batch> = {}): Batch => ({
  id,
  kind: 'push',
  title,
  createdAt: ago(agoMs),
  undoableUntil: null,
  startAt: null,
  startMissed: false,
  waitsFor: null,
  hours: null,
  open: false,
  undone: false,
  ...of,
})

/** A push in progress with rejected and unconfirmed requests, and a deletion in its undo window. */
export function ordinaryOutbox(): { items: OutboxItem[]; batches: Batch[] } {
  return {
    items: [
      ...outboxItems(40, 1, 'b-old', 'create-contact', () => 'done'),
      ...outboxItems(2_400, 41, 'b-push', 'create-contact', (index) =>
        index < 6
          ? 'unknown'
          : index < 20
            ? 'rejected'
            : index < 1_480
              ? 'done'
              : index < 1_482
                ? 'in-flight'
                : 'queued',
      ),
      ...outboxItems(12, 2_441, 'b-delete', 'delete-contact', () => 'undoable'),
    ],
    batches: [
      batch('b-delete', 'Deletion of 12 contacts', 4_000, { kind: 'delete', undoableUntil: ago(-26_000) }),
      batch('b-push', 'Push of 2,400 contacts', 20 * minuteMs),
      batch('b-old', 'Push of 40 contacts', 26 * hourMs),
    ],
  }
}

/** Counts of outbox items: none, except `some`. */
export const outboxCounts = (some: Partial<Record<OutboxStatus, number>> = {}) =>
  ({ ...Object.fromEntries(states.map((state) => [state, 0])), ...some }) as Record<OutboxStatus, number>

/** An outbox with nothing to do, except `some`. */
export const idleDrain = (some: Partial<OutboxDrain> = {}): OutboxDrain => ({
  state: 'idle',
  problem: null,
  counts: outboxCounts(),
  ratePerMinute: null,
  etaMs: null,
  heldUntil: null,
  nextStart: null,
  missedStarts: 0,
  movedStarts: 0,
  deletions: [],
  asOf: ago(0),
  ...some,
})

/** The outbox's answers over a list that actions don't change. */
export function scriptedOutbox({ items, batches }: ReturnType<typeof ordinaryOutbox>) {
  const counts = (of: OutboxItem[]) =>
    outboxCounts(
      Object.fromEntries(states.map((state) => [state, of.filter((item) => item.state === state).length])),
    )
  const drain = createBroadcast(
    idleDrain({ state: 'sending', counts: counts(items), ratePerMinute: 148, etaMs: 6.2 * minuteMs }),
  )
  const answers: Script['outbox'] = {
    watch: (_input, signal) => drain.watch(signal),
    list: ({ filter: { states }, limit = 100, cursor }) => {
      const all = items
        .filter((item) => !states?.length || states.includes(item.state))
        .sort((a, b) => b.id - a.id)
      const from = all.filter(({ id }) => cursor === undefined || id < cursor)
      const page = from.slice(0, limit)
      return {
        items: page,
        nextCursor: from.length > limit ? page.at(-1)!.id : null,
        total: all.length,
        asOf: ago(0),
      }
    },
    stuck: () => ({
      unconfirmedSince: ago(4 * minuteMs),
      rejected: 14,
      rejectedSince: ago(3 * minuteMs),
      notSent: 0,
      notSentSince: null,
    }),
    batches: () => ({
      items: batches.map((batch) => ({
        ...batch,
        counts: counts(items.filter(({ batchId }) => batchId === batch.id)),
      })),
      nextCursor: null,
      counts: drain.value().counts,
    }),
    pause: () => drain.value(),
    resume: () => drain.value(),
    sendAnyway: () => drain.value(),
    undo: () => ({ undone: 12, lost: 0, unmarked: 0, left: 0 }),
    setStart: () => {},
    cancel: () => ({ cancelled: 1, left: 0 }),
    resolve: () => ({ resolved: 6, left: 0, blocked: 0 }),
    retryRejected: () => ({ batchId: 'b-resend', queued: 14, left: 0, blocked: 0 }),
  }
  return {
    answers,
    /** Deletions that can be undone. */
    setDeletions: (deletions: UndoableDeletion[]) => drain.set({ ...drain.value(), deletions }),
  }
}
