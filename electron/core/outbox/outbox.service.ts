import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connection } from '../../contract/connections.ts'
import type { OutboxBatch, OutboxDrain, OutboxState } from '../../contract/outbox.ts'
import { AppError } from '../../contract/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { beats, createPulse } from '../../lib/pulse.ts'
import { viewOf } from '../rpc/wire-errors.ts'
import type { ServiceClient } from '../service-client/create-service-client.ts'
import { createSendRate } from './send-rate.ts'
import { createDrain, isInDoubt } from './outbox-drain.ts'
import type { OutboxEffects } from './outbox-effects.ts'
import type { Operation } from './operations.ts'
import type { ItemSelection, NewItem, OutboxRepository, StoredItem } from './outbox.repository.ts'

/** After the database or the book refused, batches whose grace time is over are let go after this long. */
const releaseRetryMs = 2_000
const gaps = { minGapMs: 250, maxGapMs: 1_000 }
/** Items changed per transaction and turn. */
const perPiece = 500

/** What can still be taken back without anybody having been told. */
const unsent = ['held-back', 'queued', 'blocked'] as const satisfies OutboxState[]

export interface OutboxService {
  start(): void
  stop(): Promise<void>
  /** Resolves when nothing is on its way any more; after the end of the client. */
  settled(): Promise<void>
  /** Begins a batch. With `graceMs` its items are held back so long. */
  begin(batch: { kind: OutboxBatch['kind']; title: string; graceMs?: number }): {
    batchId: string
    undoableUntil: string | null
  }
  /** Holds the batch back from now on for `graceMs`, so that what is added late has its grace time too. False when it was taken back. */
  hold(batchId: string, graceMs: number): boolean
  /** Adds items to a batch, in one transaction. Answers their ids. */
  add(batchId: string, items: readonly NewItem[]): number[]
  openOfContact(contactId: number): StoredItem[]
  /** Whether only the service knows where it stands, or is about to. */
  isSettling(item: StoredItem): boolean
  /** What was done for a contact and the book does not know of yet. */
  untoldOfContact(contactId: number): StoredItem | null
  /** Takes back items that cannot have been carried out, for what is wanted instead; answers those that were. */
  withdraw(ids: readonly number[]): number[]
  /** Sends what may go. After the last `add` of a batch. */
  go(): void
  /** Resolves when the book knows every state. */
  told(): Promise<void>
  watch(signal: AbortSignal): AsyncGenerator<OutboxDrain>
  drain(): OutboxDrain
  list: OutboxRepository['list']
  batches(limit: number, cursor: string | undefined): { items: OutboxBatch[]; nextCursor: string | null }
  pause(): OutboxDrain
  resume(): OutboxDrain
  undo(batchId: string): Promise<number>
  cancel(selection: ItemSelection): Promise<{ cancelled: number; left: number }>
  resolve(input: {
    selection: ItemSelection
    how: 'mark-done' | 'send-again' | 'discard'
    serviceId?: string | undefined
    confirmName?: string | undefined
  }): Promise<{ resolved: number; left: number }>
  retryRejected(selection: ItemSelection): Promise<{ batchId: string | null; queued: number; left: number }>
}

/** The durable outbox of one connection: queues, sends, and lets a person decide what only a person can. */
export function createOutboxService(parts: {
  repository: OutboxRepository
  client: ServiceClient
  operations: Record<StoredItem['operation'], Operation>
  effects: Pick<OutboxEffects, 'wake' | 'settled' | 'stop'>
  /** Brings a batch of deleted contacts back, or forgets it. */
  trash: { restore(batchId: string): Promise<{ restored: number }>; purge(batchId: string): Promise<unknown> }
  isInBook: (contactId: number) => boolean
  blockedBecause: (phone: string) => AppError | null
  connection: () => Connection
  clock: Clock
  log: Log
}): OutboxService {
  const { repository, client, effects, clock, log } = parts
  const pulse = createPulse()
  const rate = createSendRate()
  let cancelDue = () => {}
  let stopped = false

  const changed = () => {
    const counts = repository.counts()
    rate.note(counts.done, isMoving(counts), clock.monotonic())
    effects.wake()
    pulse.fire()
  }
  const drain = createDrain({
    ...parts,
    pausedForMs: () => client.budget.snapshot().pausedForMs,
    onChange: changed,
  })

  const openIn = (counts: OutboxDrain['counts']) =>
    counts.queued + counts.blocked + counts['held-back'] + counts['in-flight']

  function isMoving(counts: OutboxDrain['counts']): boolean {
    const { state } = drain.state()
    return openIn(counts) > 0 && (state === 'sending' || state === 'rate-limited')
  }

  /** What was under way when the console ended: only what may be done twice goes again by itself. */
  function recover(): void {
    for (const item of repository.inState('in-flight', 0, Number.MAX_SAFE_INTEGER)) {
      if (parts.operations[item.operation].once)
        repository.update(item.id, {
          state: 'unknown',
          problem: { code: 'CRASHED_IN_FLIGHT', data: {} },
          endedMs: clock.now(),
        })
      else repository.update(item.id, { state: 'queued', problem: { code: 'DELETION_REPEATED', data: {} } })
    }
  }

  /** Takes back what was being taken back when the console ended or the book refused. */
  async function takeBackRest(): Promise<void> {
    for (const batchId of repository.takingBack()) await takeBack(batchId)
  }

  /** Lets batches go whose grace time is over, and sets the timer for the next. */
  async function releaseDue(): Promise<void> {
    if (stopped) return
    let waitMs: number | null = releaseRetryMs
    try {
      await release()
      if (stopped) return
      const dueMs = repository.nextDueMs()
      waitMs = dueMs === null ? null : Math.max(250, dueMs - clock.now())
    } catch (error) {
      log.warn('batches whose grace time is over could not be let go yet', { error })
    }
    cancelDue()
    if (waitMs !== null && !stopped) cancelDue = clock.after(waitMs, () => void releaseDue())
  }

  async function release(): Promise<void> {
    for (const batchId of repository.dueBatches(clock.now())) {
      for (;;) {
        const held = repository.ofBatch(batchId, 'held-back', perPiece)
        if (held.length === 0 || stopped) break
        repository.transaction(() => {
          for (const { id } of held) repository.update(id, { state: 'queued' })
        })
        await nextTurn()
      }
      if (stopped) return
      // Taken back meanwhile.
      if (repository.batch(batchId)?.isTakenBack) continue
      try {
        await parts.trash.purge(batchId)
        repository.endHold(batchId)
      } catch (error) {
        log.warn('deleted contacts could not be forgotten yet', { error })
      }
    }
    changed()
    drain.wake()
  }

  function view(): OutboxDrain {
    const counts = repository.counts()
    const { state, problem } = drain.state()
    return {
      state,
      problem: problem && viewOf(problem),
      counts,
      ratePerMinute: rate.perMinute(clock.monotonic()),
      etaMs: isMoving(counts)
        ? // Those that wait for their turn in the budget are counted there.
          client.budget.estimateMs(Math.max(0, openIn(counts) - client.budget.snapshot().queued.bulk))
        : null,
      asOf: new Date(clock.now()).toISOString(),
    }
  }

  /** Works through a selection in pieces, one transaction and one turn each. Answers how many it changed; `work` says which. */
  async function each(
    selection: ItemSelection,
    states: readonly OutboxState[],
    work: (item: StoredItem) => boolean,
  ): Promise<number> {
    let done = 0
    for (let afterId = 0; ; await nextTurn()) {
      const items = repository.select(selection, states, afterId, perPiece)
      if (items.length === 0) return done
      done += repository.transaction(() => items.filter(work).length)
      afterId = items.at(-1)!.id
      changed()
    }
  }

  const isUnsent = ({ state }: StoredItem) => (unsent as readonly OutboxState[]).includes(state)

  /** Takes one item back. False where an earlier try may have been carried out: that is a person's to find out. */
  const endCancelled = (item: StoredItem): boolean => {
    const endedMs = clock.now()
    const isUnknown = isInDoubt(item)
    if (isUnknown)
      repository.update(item.id, {
        state: 'unknown',
        problem: { code: 'DELETION_UNKNOWN', data: {} },
        endedMs,
      })
    else repository.update(item.id, { state: 'cancelled', endedMs })
    return !isUnknown
  }

  /**
   * Takes an item back, and with it what waits for it and, of the two halves of a change, the other one. Where it is `replaced` by what is
   * wanted now, a first half that may have been carried out goes on: it is wanted still.
   */
  const cancelled = (item: StoredItem, why: 'cancelled' | 'replaced' = 'cancelled'): boolean => {
    const isCancelled = endCancelled(item)
    for (const follower of repository.followers(item.id))
      if (follower.state === 'blocked') endCancelled(follower)
    const first = item.afterId === null ? null : repository.get(item.afterId)
    const isHalf = first !== null && first.batchId === item.batchId && isUnsent(first)
    if (isHalf && !(why === 'replaced' && isInDoubt(first))) endCancelled(first)
    return isCancelled
  }

  /** Takes the items of a batch back and brings its contacts back. What fails in it is done again by the next try or start. */
  async function takeBack(batchId: string): Promise<number> {
    const items = await each({ filter: { batchId } }, ['held-back', 'blocked'], (item) => cancelled(item))
    const { restored } = await parts.trash.restore(batchId)
    repository.endTakingBack(batchId)
    changed()
    return items + restored
  }

  const again = (batchId: string, item: StoredItem, afterId: number | null = null): number => {
    const { operation, name, phone, contactId, serviceId, body } = item
    const state = afterId === null ? 'queued' : 'blocked'
    return repository.add(
      batchId,
      { operation, name, phone, contactId, serviceId, body, afterId },
      state,
      clock.now(),
    )
  }

  const isWanted = ({ operation, contactId }: StoredItem) =>
    operation !== 'create-contact' || contactId === null || parts.isInBook(contactId)

  function begin({ kind, title, graceMs }: Parameters<OutboxService['begin']>[0]) {
    const batchId = randomUUID()
    const createdMs = clock.now()
    const holdUntilMs = graceMs === undefined ? null : createdMs + graceMs
    repository.addBatch({ id: batchId, kind, title, createdMs, holdUntilMs })
    return { batchId, undoableUntil: holdUntilMs === null ? null : new Date(holdUntilMs).toISOString() }
  }

  return {
    start() {
      recover()
      changed()
      void takeBackRest()
        .catch((error: unknown) => log.warn('a batch could not be taken back yet', { error }))
        .then(releaseDue)
    },
    async stop() {
      stopped = true
      cancelDue()
      await drain.stop()
    },
    async settled() {
      await drain.settled()
      await effects.settled()
      await effects.stop()
    },
    begin,
    hold(batchId, graceMs) {
      if (repository.batch(batchId)?.isTakenBack) return false
      repository.hold(batchId, clock.now() + graceMs)
      return true
    },
    add(batchId, items) {
      const first: OutboxState = repository.isHeld(batchId) ? 'held-back' : 'queued'
      return repository.transaction(() =>
        items.map((item) =>
          repository.add(batchId, item, item.afterId === null ? first : 'blocked', clock.now()),
        ),
      )
    },
    openOfContact: repository.openOfContact,
    isSettling: (item) => item.state === 'in-flight' || item.state === 'unknown' || isInDoubt(item),
    untoldOfContact: repository.untoldOfContact,
    withdraw(ids) {
      const gone = repository.transaction(() =>
        ids.filter((id) => {
          const item = repository.get(id)
          if (!item || !isUnsent(item) || isInDoubt(item)) return false
          return cancelled(item, 'replaced')
        }),
      )
      changed()
      return gone
    },
    go() {
      changed()
      void releaseDue()
    },
    told: effects.settled,
    async *watch(signal) {
      for await (const _beat of beats(pulse, clock, gaps, signal)) yield view()
    },
    drain: view,
    list: repository.list,
    batches(limit, cursor) {
      const items = repository.batches(limit, cursor, clock.now())
      return { items, nextCursor: items.length < limit ? null : items.at(-1)!.id }
    },
    pause() {
      repository.setPaused(true)
      drain.holdBack()
      pulse.fire()
      return view()
    },
    resume() {
      repository.setPaused(false)
      drain.retry()
      return view()
    },
    async undo(batchId) {
      const batch = repository.batch(batchId)
      if (!batch) throw new AppError('NOT_FOUND', { what: 'This batch' })
      if (batch.holdUntilMs === null || batch.holdUntilMs <= clock.now()) {
        const left = repository.countSelected({
          filter: { batchId, states: ['queued', 'in-flight', 'done', 'rejected', 'unknown'] },
        })
        throw new AppError('OUTBOX_TOO_LATE', { sent: left })
      }
      // From here on nothing of it is let go, even if the rest takes long.
      repository.beginTakingBack(batchId)
      return takeBack(batchId)
    },
    async cancel(selection) {
      const all = repository.countSelected(selection)
      const count = await each(selection, unsent, (item) => cancelled(item))
      return { cancelled: count, left: Math.max(0, all - count) }
    },
    async resolve({ selection, how, serviceId, confirmName }) {
      const { production, name } = parts.connection()
      if (how === 'send-again' && production && confirmName !== name)
        throw new AppError('CONFIRMATION_MISMATCH', { name })
      const all = repository.countSelected(selection)
      const resend = lazy(() => begin({ kind: 'resend', title: 'Sent again' }).batchId)
      const endedMs = clock.now()
      const count = await each(selection, ['unknown'], (item) => {
        if (how === 'mark-done')
          repository.update(item.id, {
            state: 'done',
            resolution: 'marked-done',
            problem: null,
            endedMs,
            serviceId: all === 1 ? (serviceId ?? item.serviceId) : item.serviceId,
          })
        else
          repository.update(item.id, {
            state: 'cancelled',
            resolution: how === 'discard' ? 'discarded' : 'sent-again',
            endedMs,
          })
        const newId = how === 'send-again' ? again(resend(), item) : null
        for (const follower of repository.followers(item.id)) {
          // Where the contact of one that was taken back stands hangs on this one, too.
          if (follower.state !== 'blocked') {
            repository.update(follower.id, {})
            continue
          }
          if (newId !== null) {
            repository.update(follower.id, { afterId: newId })
            continue
          }
          const id = repository.get(item.id)?.serviceId ?? null
          if (how === 'mark-done' && (follower.serviceId ?? id) !== null)
            repository.update(follower.id, {
              state: repository.isHeld(follower.batchId) ? 'held-back' : 'queued',
              serviceId: follower.serviceId ?? id,
            })
          else repository.update(follower.id, { state: 'cancelled', endedMs })
        }
        return true
      })
      drain.wake()
      return { resolved: count, left: Math.max(0, all - count) }
    },
    async retryRejected(selection) {
      const all = repository.countSelected(selection)
      const resend = lazy(() => begin({ kind: 'resend', title: 'Rejected ones again' }).batchId)
      const endedMs = clock.now()
      const count = await each(selection, ['rejected'], (item) => {
        // What was pushed again after a correction, or is no longer in the book, is not wanted a second time.
        if (repository.isOvertaken(item) || !isWanted(item)) return false
        const batchId = resend()
        repository.update(item.id, { state: 'cancelled', resolution: 'sent-again', endedMs })
        const newId = again(batchId, item)
        // What was given up with it is wanted again, too.
        for (const follower of repository.followers(item.id)) {
          if (follower.state !== 'cancelled' || follower.problem === null || follower.resolution !== null)
            continue
          repository.update(follower.id, { resolution: 'sent-again' })
          again(batchId, follower, newId)
        }
        return true
      })
      drain.wake()
      return { batchId: count === 0 ? null : resend(), queued: count, left: Math.max(0, all - count) }
    },
  }
}

/** A value that is made when it is first asked for. */
function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}
