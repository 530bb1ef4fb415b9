import type { Phrase, Said } from '../../../contract/phrases.ts'
import { randomUUID } from 'node:crypto'
import type { InputOf } from '../../../contract/define.ts'
import type {
  InboundProblem,
  OutboxBatch,
  outboxContract,
  OutboxDrain,
  OutboxFilter,
  OutboxStatus,
} from '../../../contract/people/outbox.ts'
import { AppError } from '../../../contract/errors.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { beats, changes, createPulse } from '../../../lib/pulse.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import { checkConfirmed } from '../../platform/confirm.ts'
import type { NetworkWatch } from '../../service/client/network-watch.ts'
import type { CredentialSource } from '../../service/credentials/credentials.ts'
import { createSendRate } from './send-rate.ts'
import { createOutboxDecisions, isUnsent } from './outbox-decisions.ts'
import { createDrain, inboundWait, isInDoubt } from './outbox-drain.ts'
import { createOutboxRelease, isLate } from './outbox-release.ts'
import type { OutboxEffects } from './outbox-effects.ts'
import type { Operation } from './operations.ts'
import { type BatchHold, holdsBack, openItems } from './outbox-batches.ts'
import { waitsForHours } from './sending-hours.ts'
import type { ItemSelection, OutboxRepository } from './outbox.repository.ts'
import { bitsOf, type NewItem, type StoredItem } from './stored-item.ts'
import type { ServiceParts } from '../../service/parts.ts'

type Input<Name extends keyof typeof outboxContract> = InputOf<typeof outboxContract, Name>

const gaps = { minGapMs: 250, maxGapMs: 1_000 }
const dayMs = 86_400_000
const inFlightPollMs = 250

const hasText = ({ text }: OutboxFilter) => text !== undefined && text.trim() !== ''

const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

interface Undone {
  undone: number
  lost: number
  unmarked: number
  left: number
}

export type OutboxService = ReturnType<typeof createOutboxService>

export function createOutboxService(
  parts: Pick<ServiceParts, 'client' | 'connection' | 'clock' | 'log'> & {
    repository: OutboxRepository
    network: Pick<NetworkWatch, 'onReached' | 'state'>
    credentials: Pick<CredentialSource, 'state' | 'identity'>
    operations: Record<StoredItem['operation'], Operation>
    effects: Pick<OutboxEffects, 'wake' | 'settled' | 'stop'>
    /** Restores a batch of deleted contacts, or removes it for good. */
    trash: {
      restore(batchId: string): Promise<{ restored: number; lost: number }>
      purge(batchId: string): Promise<unknown>
    }
    isInContacts: (contactId: number) => boolean
    /** As `findRequests`, in a thread. */
    findRequests: (
      filter: OutboxFilter,
      page: { cursor?: number; limit: number },
      signal?: AbortSignal,
    ) => Promise<{ ids: number[]; total: number }>
    /** Why an item's recipient must not be contacted now; null if they may. Asked for gated operations. */
    blockedBecause: (item: StoredItem) => AppError | null
    /** Why the offline DNC copy proves nothing now, and is being synced; null while it is fresh. */
    dncProblem: () => Phrase | null
    /** Why inbound messages and colleagues' holds, and so opt-outs, can't be read; none while they can. */
    inboundProblems: () => readonly InboundProblem[]
  },
) {
  const { repository, client, effects, clock, log } = parts
  const pulse = createPulse()
  const rate = createSendRate()
  const undoCallbacks: ((batchId: string) => void)[] = []
  const undoneCallbacks: ((batchId: string, undone: Undone) => void)[] = []
  const doneCallbacks: ((item: StoredItem) => void)[] = []
  const undoing = new Map<string, Promise<Undone>>()
  /** Edits of contacts that are being stored. */
  const edits = new Set<{ contactId: number }>()
  let movedStarts = 0
  /** Items done when sending began. */
  let doneBefore = 0

  const changed = () => {
    const counts = repository.counts()
    if (!isMoving(counts)) doneBefore = counts.done
    rate.note(counts.done, isMoving(counts), clock.monotonic())
    effects.wake()
    pulse.fire()
  }
  const blockedBecause = (item: StoredItem) =>
    parts.operations[item.operation].gated ? parts.blockedBecause(item) : null
  const drain = createDrain({
    ...parts,
    blockedBecause,
    dncProblem: dncWait,
    identity: parts.credentials.identity,
    mustWait: ({ contactId, oldOf }) =>
      !release.isRecovered() || [...edits].some((edit) => edit.contactId === (contactId ?? oldOf)),
    isOutsideHours: (item) => waitsForHours(item, clock.now()) !== null,
    onOutsideHours: () => void release.endHours(),
    probe: () => client.dnc.list({ page: 1, perPage: 1 }, { lane: 'bulk' }),
    pausedForMs: () => client.budget.snapshot().pausedForMs,
    onChange: changed,
    onDone: tellDone,
  })

  /** A selection whose text was compared with every request, oldest first. */
  async function withoutText(selection: ItemSelection): Promise<ItemSelection> {
    if ('ids' in selection || !hasText(selection.filter)) return selection
    const { ids } = await parts.findRequests(selection.filter, { limit: Infinity })
    const excepted = new Set(selection.exceptIds)
    return { ids: ids.toReversed().filter((id) => !excepted.has(id)) }
  }

  function tellDone(item: StoredItem): void {
    // The item is sent: a failure here must not stop the outbox.
    for (const callback of doneCallbacks)
      try {
        callback(item)
      } catch (error) {
        log.error('A callback after an accepted request failed', { operation: item.operation, error })
      }
  }

  const { each, cancelled, ...decisions } = createOutboxDecisions({
    ...parts,
    blockedBecause,
    withoutText,
    begin: (title, unchecked = false) => begin({ kind: 'resend', title, unchecked }).batchId,
    changed,
    wake: drain.wake,
    onDone: tellDone,
  })

  const release = createOutboxRelease({
    ...parts,
    each,
    purge: parts.trash.purge,
    onReleased() {
      changed()
      drain.wake()
    },
  })

  function isMoving(counts: Record<OutboxStatus, number>): boolean {
    const { state } = drain.state()
    return openItems(counts) > 0 && (state === 'sending' || state === 'rate-limited')
  }

  /** Items in flight when Switchboard ended. Only repeatable ones are queued again. */
  function recover(): void {
    for (const item of repository.inState('in-flight')) {
      if (parts.operations[item.operation].once)
        repository.update(item.id, {
          state: 'unknown',
          problem: { code: 'CRASHED_IN_FLIGHT', data: {} },
          endedMs: clock.now(),
        })
      else repository.update(item.id, { state: 'queued', problem: { code: 'DELETION_REPEATED', data: {} } })
    }
  }

  /** Cancels items that cannot have been carried out, to replace them. Returns the cancelled ones. */
  function withdraw(ids: readonly number[]): number[] {
    const gone = repository.transaction(() =>
      ids.filter((id) => {
        const item = repository.get(id)
        if (!item || !isUnsent(item) || isInDoubt(item)) return false
        return cancelled(item, 'replaced')
      }),
    )
    changed()
    return gone
  }

  /** Finishes undoing batches that were interrupted or failed. */
  async function finishUndos(): Promise<void> {
    for (const batchId of repository.undoing()) await undoBatch(batchId, null)
  }

  function dncWait(): AppError | null {
    const state = parts.dncProblem()
    return state && new AppError('SENDS_WAIT_FOR_DNC', { state })
  }

  /** Why a due batch doesn't start; null if none waits. */
  function startWait(): AppError | null {
    if (!release.isWaiting()) return null
    return dncWait() ?? inboundWait(parts.inboundProblems()[0])
  }

  /** Messages also wait for what can't be read while signed out or offline. */
  function whyIdle(): Pick<OutboxDrain, 'state' | 'problem'> {
    const now = drain.state()
    const due = now.state === 'idle' ? startWait() : null
    const { state, problem } = due ? { state: 'waiting' as const, problem: due } : now
    if (state !== 'waiting') return { state, problem: problem && viewOf(problem) }
    const { problem: code } = parts.credentials.state()
    if (code) return { state: 'signed-out', problem: viewOf(new AppError(code)) }
    const network = parts.network.state()
    return network.reachable === false
      ? { state: 'offline', problem: network.problem }
      : { state, problem: problem && viewOf(problem) }
  }

  /** How long this many items take at the rate of the last minute, which the rate limit may slow down. Null while that is unknown. */
  function etaMs(open: number): number | null {
    const measuredMs = rate.etaMs(open, clock.monotonic())
    if (measuredMs === null) return null
    // The estimate already counts requests that wait for the rate limit.
    const waiting = client.budget.snapshot().queued.bulk
    return Math.max(measuredMs, client.budget.estimateMs(Math.max(0, open - waiting)))
  }

  function view(): OutboxDrain {
    const counts = repository.counts()
    return {
      ...whyIdle(),
      counts,
      ratePerMinute: rate.perMinute(clock.monotonic()),
      etaMs: etaMs(openItems(counts)),
      heldUntil: counts.undoable > 0 ? isoTime(repository.nextWindowMs()) : null,
      nextStart: isoTime(earliest(repository.nextStartMs(), repository.nextHoursMs())),
      missedStarts: repository.missedStarts(),
      movedStarts,
      deletions: repository.undoableDeletions(clock.now()),
      asOf: isoTime(clock.now()),
    }
  }

  /** Contacts a deletion had not marked when it was undone. */
  const unmarkedOf = ({ state, chosen, marked }: BatchHold, undone: number) =>
    state === 'filling' ? Math.max(0, chosen - Math.max(marked, undone)) : 0

  async function undoNow(batchId: string, before: BatchHold | null): Promise<Undone> {
    const states = ['undoable', 'scheduled', 'blocked'] as const
    // A part of a batch that was moved may be queued.
    const isMovable = ['ott', 'resend'].includes(repository.batch(batchId)?.kind ?? '')
    const items = await each({ filter: { batchId } }, isMovable ? [...states, 'queued'] : states, (item) =>
      cancelled(item),
    )
    const { restored, lost } = await parts.trash.restore(batchId)
    repository.endUndo(batchId)
    changed()
    drain.wake()
    const all = items + restored
    const unmarked = before ? unmarkedOf(before, all + lost) : 0
    const undone = { undone: all, lost, unmarked, left: repository.leftOf(batchId) }
    for (const callback of undoneCallbacks) callback(batchId, undone)
    return undone
  }

  /**
   * Cancels a batch's items and restores its contacts. `before` is its state before the undo. A failure is
   * retried by the next undo or start.
   */
  function undoBatch(batchId: string, before: BatchHold | null): Promise<Undone> {
    const underWay = undoing.get(batchId)
    if (underWay) return underWay
    const run = undoNow(batchId, before).finally(() => undoing.delete(batchId))
    undoing.set(batchId, run)
    return run
  }

  /**
   * Begins a batch. An `open` one waits until `hold` is called. `chosen`: contacts a deletion should mark. `startMs`: the chosen start,
   * which `hold` keeps. `unchecked`: its messages leave although the DNC copy proves nothing, as the operator chose.
   */
  function begin(batch: {
    kind: OutboxBatch['kind']
    title: Said
    open?: true
    chosen?: number
    startMs?: number | null
    unchecked?: boolean
  }) {
    const batchId = randomUUID()
    repository.addBatch({ id: batchId, ...batch, createdMs: clock.now() })
    pulse.fire()
    return { batchId }
  }

  let unwatch = () => {}
  return {
    start() {
      unwatch = parts.network.onReached(drain.reached)
      recover()
      changed()
      void finishUndos()
        .catch((error: unknown) => log.warn('Could not undo a batch yet', { error }))
        .then(release.releaseDue)
    },
    async stop(): Promise<void> {
      unwatch()
      release.stop()
      await drain.stop()
    },
    /** Resolves when nothing is in flight. Call after the end of the client. */
    async settled(): Promise<void> {
      await drain.settled()
      await effects.settled()
      await effects.stop()
    },
    begin,
    /**
     * Holds the batch back for `graceMs` and until its start, or while it is being filled. A start that passed long ago is missed. False
     * when the batch was undone.
     */
    hold(batchId: string, graceMs: number | 'open'): boolean {
      const batch = repository.batch(batchId)
      if (batch?.isUndone) return false
      const startMs = batch?.startMs ?? null
      if (graceMs === 'open') repository.fill(batchId)
      else if (startMs !== null && isLate(startMs, clock.now())) repository.missStart(batchId)
      else repository.hold(batchId, Math.max(clock.now() + graceMs, startMs ?? 0))
      return true
    },
    async setStart(order: Parameters<typeof release.setStart>[0]) {
      await release.setStart(order)
      movedStarts++
      pulse.fire()
    },
    /** Adds contacts that a deletion has marked. */
    marked(batchId: string, count: Parameters<OutboxRepository['addMarked']>[1]) {
      repository.addMarked(batchId, count)
      pulse.fire()
    },
    /** Calls `callback` when a batch is undone, before its items are cancelled. */
    onUndo: (callback: (batchId: string) => void) => void undoCallbacks.push(callback),
    /** Calls `callback` when a batch is fully undone, also after a restart. */
    onUndone: (callback: (batchId: string, undone: Undone) => void) => void undoneCallbacks.push(callback),
    /** Calls `callback` after the service accepted an item, or an operator gave the ID of one. */
    onDone: (callback: (item: StoredItem) => void) => void doneCallbacks.push(callback),
    openDeletions: repository.openDeletions,
    /** Adds items to a batch and runs `also` in the same transaction. Returns the item ids. */
    add(batchId: string, items: readonly NewItem[], also?: () => void): number[] {
      const ready = repository.readyState(batchId, clock.now())
      return repository.transaction(() => {
        also?.()
        return items.map((item) =>
          repository.add(batchId, item, item.afterId === null ? ready : 'blocked', clock.now()),
        )
      })
    },
    batch: repository.batch,
    countsOf: repository.countsOf,
    notSentIn: repository.notSentIn,
    leftOf: repository.leftOf,
    waitsFor: repository.waitsFor,
    missedStarts: repository.missedStarts,
    oldRecordsOf: repository.oldRecordsOf,
    openOfContact: repository.openOfContact,
    answerOfContact: repository.answerOfContact,
    /** Whether the item is in flight or unconfirmed, or an attempt of it may have been carried out. */
    isSettling: (item: StoredItem) =>
      item.state === 'in-flight' || item.state === 'unknown' || isInDoubt(item),
    unappliedOfContact: repository.unappliedOfContact,
    withdraw,
    /**
     * Withdraws items and discards the unconfirmed ones, once none is in flight, so that none can be sent or resent. Returns how many were
     * unconfirmed.
     */
    async revoke(ids: number[], signal: AbortSignal): Promise<number> {
      for (withdraw(ids); ids.some((id) => repository.get(id)?.state === 'in-flight'); withdraw(ids))
        await clock.sleep(inFlightPollMs, signal)
      return (await decisions.resolve({ selection: { ids }, how: 'discard' })).resolved
    },
    /** Keeps the contact's requests waiting while `store` replaces them. If it fails, they go on as they are. */
    async editing(contactId: number, store: () => Promise<void>): Promise<void> {
      const edit = { contactId }
      edits.add(edit)
      try {
        await store()
      } finally {
        edits.delete(edit)
        drain.wake()
      }
    },
    /** Starts sending. Call after the last `add` of a batch. */
    go() {
      changed()
      void release.releaseDue()
    },
    /** Resolves when every state is applied to its contact. */
    effectsApplied: effects.settled,
    watch: (signal: AbortSignal) => changes(beats(pulse, clock, gaps, signal), clock, view),
    drain: view,
    etaMs,
    /** What is sent now: how many items of all; 0 of 0 while nothing moves. */
    work(): { sent: number; total: number } {
      const counts = repository.counts()
      if (!isMoving(counts)) return { sent: 0, total: 0 }
      const sent = Math.max(0, counts.done - doneBefore)
      return { sent, total: sent + openItems(counts) }
    },
    async list({ filter, limit, cursor }: Input<'list'>, signal?: AbortSignal) {
      const asOf = isoTime(clock.now())
      const page = { limit, ...(cursor !== undefined && { cursor }) }
      const found = hasText(filter) ? await parts.findRequests(filter, page, signal) : null
      const { items, total } = found
        ? { items: repository.items(found.ids), total: found.total }
        : repository.list(filter, limit, cursor)
      const last = found ? found.ids.at(limit - 1) : items[limit - 1]?.id
      return { items, total, nextCursor: last ?? null, asOf }
    },
    stuck: () => repository.stuck(clock.now() - dayMs),
    batches({ limit, cursor, batchId }: Input<'batches'>) {
      const nowMs = clock.now()
      const others = repository.batches(limit, cursor, nowMs)
      const page = cursor === undefined ? [...repository.waitingBatches(nowMs), ...others] : others
      const isListed = batchId === undefined || page.some(({ id }) => id === batchId)
      return {
        items: isListed ? page : [...repository.namedBatch(batchId, nowMs), ...page],
        nextCursor: others.length < limit ? null : others.at(-1)!.id,
        counts: repository.counts(),
      }
    },
    pause(): OutboxDrain {
      repository.setPaused(true)
      drain.holdBack()
      pulse.fire()
      return view()
    },
    resume(): OutboxDrain {
      repository.setPaused(false)
      drain.resume()
      return view()
    },
    recheck: drain.recheck,
    /** Sends the messages that could leave now, but for this problem. Others still let them wait. Chooses nothing once the problem is over. */
    async sendAnyway({ problem, confirmName }: Input<'sendAnyway'>): Promise<OutboxDrain> {
      checkConfirmed(parts.connection(), confirmName)
      if (problem !== 'SENDS_WAIT_FOR_DNC' && !parts.inboundProblems().includes(problem)) return view()
      const chosen = ({ withoutInbound }: StoredItem) =>
        problem === 'SENDS_WAIT_FOR_DNC'
          ? { unchecked: true }
          : { withoutInbound: withoutInbound | bitsOf([problem]) }
      await each({ filter: { states: ['queued'] } }, ['queued'], (item) => {
        const leaves = item.operation === 'send-ott' && waitsForHours(item, clock.now()) === null
        if (leaves) repository.update(item.id, chosen(item))
        return leaves
      })
      drain.wake()
      return view()
    },
    /** Calls during an undo share its result. */
    async undo({ batchId }: Input<'undo'>): Promise<Undone> {
      const batch = repository.batch(batchId)
      if (!batch) throw new AppError('NOT_FOUND', { what: { key: 'what.batch' } })
      if (!holdsBack(batch, clock.now()))
        throw new AppError('OUTBOX_TOO_LATE', { sent: repository.leftOf(batchId) })
      // From here on no message of the batch leaves, even if the undo takes long.
      repository.beginUndo(batchId)
      for (const callback of undoCallbacks) callback(batchId)
      return undoBatch(batchId, batch)
    },
    ...decisions,
  }
}
