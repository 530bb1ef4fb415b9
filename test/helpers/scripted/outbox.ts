import {
  type OutboxBatch,
  type OutboxDrain,
  type OutboxFilter,
  type OutboxItem,
  type OutboxState,
  outboxStateSchema,
  type UndoableDeletion,
} from '#contract/people/outbox.ts'
import type { Script } from './script.ts'
import { ago, createBroadcast, hourMs, minuteMs } from './broadcast.ts'

const states = outboxStateSchema.options
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
      problem:
        state === 'rejected'
          ? {
              code: 'SERVICE_REJECTED',
              retryable: false,
              data: { serviceText: 'phone is not a mobile number' },
            }
          : state === 'unknown'
            ? {
                code: 'OUTCOME_UNKNOWN',
                retryable: false,
                data: { host: 'api.messaging.example', call: 'POST /contacts' },
              }
            : null,
      queuedAt: ago(20 * minuteMs - index),
      sentAt: sent ? ago(4 * minuteMs - index) : null,
      endedAt: ['done', 'rejected', 'cancelled'].includes(state) ? ago(3 * minuteMs) : null,
      resolution: null,
    }
  })
}

/** A push in progress with rejected and unconfirmed requests, and a deletion in its undo window. */
export function ordinaryOutbox(): { items: OutboxItem[]; batches: Omit<OutboxBatch, 'counts'>[] } {
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
      ...outboxItems(12, 2_441, 'b-delete', 'delete-contact', () => 'held-back'),
    ],
    batches: [
      {
        id: 'b-delete',
        kind: 'delete',
        title: 'Deletion of 12 contacts',
        createdAt: ago(4_000),
        undoableUntil: new Date(Date.now() + 26_000).toISOString(),
        open: false,
        undone: false,
      },
      {
        id: 'b-push',
        kind: 'push',
        title: 'Push of 2,400 contacts',
        createdAt: ago(20 * minuteMs),
        undoableUntil: null,
        open: false,
        undone: false,
      },
      {
        id: 'b-old',
        kind: 'push',
        title: 'Push of 40 contacts',
        createdAt: ago(26 * hourMs),
        undoableUntil: null,
        open: false,
        undone: false,
      },
    ],
  }
}

/** Counts of outbox items: none, except `some`. */
export const outboxCounts = (some: Partial<Record<OutboxState, number>> = {}) =>
  ({ ...Object.fromEntries(states.map((state) => [state, 0])), ...some }) as Record<OutboxState, number>

/** An outbox with nothing to do, except `some`. */
export const idleDrain = (some: Partial<OutboxDrain> = {}): OutboxDrain => ({
  state: 'idle',
  problem: null,
  counts: outboxCounts(),
  ratePerMinute: null,
  etaMs: null,
  heldUntil: null,
  deletions: [],
  asOf: ago(0),
  ...some,
})

/** The outbox's answers over a list in memory. */
export function scriptedOutbox(first: ReturnType<typeof ordinaryOutbox>) {
  let { items, batches } = first
  let deletions: readonly UndoableDeletion[] = []
  const counts = (of: OutboxItem[]) =>
    Object.fromEntries(
      states.map((state) => [state, of.filter((item) => item.state === state).length]),
    ) as Record<OutboxState, number>
  const drainOf = (change: Partial<OutboxDrain> = {}): OutboxDrain =>
    idleDrain({
      state: 'sending',
      counts: counts(items),
      ratePerMinute: 148,
      etaMs: 6.2 * minuteMs,
      deletions: [...deletions],
      ...change,
    })
  const drain = createBroadcast(drainOf())
  const updateDrain = (change: Partial<OutboxDrain> = {}): OutboxDrain => {
    const { state, problem, ratePerMinute, etaMs } = drain.value()
    drain.set(drainOf({ state, problem, ratePerMinute, etaMs, ...change }))
    return drain.value()
  }
  const matches = (item: OutboxItem, filter: OutboxFilter) =>
    (!filter.states?.length || filter.states.includes(item.state)) &&
    (!filter.operations?.length || filter.operations.includes(item.operation)) &&
    (filter.batchId === undefined || item.batchId === filter.batchId) &&
    (filter.contactId === undefined || item.contactId === filter.contactId) &&
    (filter.text === undefined ||
      `${item.name} ${item.phone}`.toLowerCase().includes(filter.text.toLowerCase()))
  type Selection = { ids: number[] } | { filter: OutboxFilter; exceptIds?: number[] | undefined }
  const chosen = (selection: Selection) =>
    items.filter((item) =>
      'ids' in selection
        ? selection.ids.includes(item.id)
        : matches(item, selection.filter) && !selection.exceptIds?.includes(item.id),
    )
  /** Changes those selected items that are in one of `from`. */
  const change = (selection: Selection, from: OutboxState[], to: Partial<OutboxItem>) => {
    const all = chosen(selection)
    const hit = new Set(all.filter(({ state }) => from.includes(state)).map(({ id }) => id))
    items = items.map((item) => (hit.has(item.id) ? { ...item, ...to, endedAt: ago(0) } : item))
    updateDrain()
    return { hit: hit.size, left: all.length - hit.size }
  }

  const answers: Script['outbox'] = {
    watch: ((_input: unknown, signal?: AbortSignal) =>
      drain.watch(signal)) as unknown as Script['outbox']['watch'],
    list: ({ filter, limit = 100, cursor }) => {
      const all = items.filter((item) => matches(item, filter)).sort((a, b) => b.id - a.id)
      const from = all.filter(({ id }) => cursor === undefined || id < cursor)
      const page = from.slice(0, limit)
      return {
        items: page,
        nextCursor: from.length > limit ? page.at(-1)!.id : null,
        total: all.length,
        asOf: ago(0),
      }
    },
    stuck() {
      const timesOf = (is: (item: OutboxItem) => boolean) =>
        items.flatMap((item) => (is(item) ? [item.endedAt ?? item.sentAt ?? item.queuedAt] : [])).toSorted()
      const lastDay = (isHere: boolean) =>
        timesOf(
          ({ state, problem }) => state === 'rejected' && (problem?.code === 'ON_DNC') === isHere,
        ).filter((time) => Date.parse(time) > Date.now() - 24 * 60 * minuteMs)
      const [rejected, notSent] = [lastDay(false), lastDay(true)]
      return {
        unconfirmedSince: timesOf(({ state }) => state === 'unknown')[0] ?? null,
        rejected: rejected.length,
        rejectedSince: rejected[0] ?? null,
        notSent: notSent.length,
        notSentSince: notSent[0] ?? null,
      }
    },
    batches: () => ({
      items: batches.map((batch) => ({
        ...batch,
        counts: counts(items.filter(({ batchId }) => batchId === batch.id)),
      })),
      nextCursor: null,
    }),
    pause: () => updateDrain({ state: 'paused', ratePerMinute: null, etaMs: null }),
    resume: () => updateDrain({ state: 'sending', problem: null, ratePerMinute: 148, etaMs: 6 * minuteMs }),
    undo: ({ batchId }) => {
      const { hit } = change({ filter: { batchId } }, ['held-back'], { state: 'cancelled' })
      batches = batches.map((batch) =>
        batch.id === batchId ? { ...batch, undoableUntil: null, undone: true } : batch,
      )
      const undone = deletions.find((deletion) => deletion.batchId === batchId)?.marked ?? hit
      deletions = deletions.filter((deletion) => deletion.batchId !== batchId)
      updateDrain()
      return { undone, lost: 0, unmarked: 0 }
    },
    cancel: ({ selection }) => {
      const { hit, left } = change(selection, ['held-back', 'queued', 'blocked'], { state: 'cancelled' })
      return { cancelled: hit, left }
    },
    resolve: ({ selection, how }) => {
      const to = { 'mark-done': 'done', 'send-again': 'queued', discard: 'cancelled' } as const
      const resolution = {
        'mark-done': 'marked-done',
        'send-again': 'sent-again',
        discard: 'discarded',
      } as const
      const { hit, left } = change(selection, ['unknown'], { state: to[how], resolution: resolution[how] })
      return { resolved: hit, left }
    },
    retryRejected: ({ selection }) => {
      const { hit, left } = change(selection, ['rejected'], { state: 'queued', problem: null })
      return { batchId: hit > 0 ? 'b-resend' : null, queued: hit, left }
    },
  }
  return {
    answers,
    /** Changes the state of the drain. */
    setDrain: updateDrain,
    /** Deletions that can be undone. */
    setDeletions(next: readonly UndoableDeletion[]) {
      deletions = next
      updateDrain()
    },
    setItems(next: OutboxItem[]) {
      items = next
      updateDrain()
    },
  }
}
