import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InputOf } from '../../../contract/define.ts'
import { AppError } from '../../../contract/errors.ts'
import type { InboundProblem, outboxContract } from '../../../contract/people/outbox.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import { checkConfirmed } from '../../platform/confirm.ts'
import { holdsBack } from './outbox-batches.ts'
import type { OutboxDecisions } from './outbox-decisions.ts'
import type { OutboxRepository } from './outbox.repository.ts'
import type { StoredItem } from './stored-item.ts'
import { waitsForHours } from './sending-hours.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Wait before releasing batches again after a database failed, or while the DNC list is synced. */
const releaseRetryMs = 2_000
/** Longest wait until the clock is read again: it may be set, or stand still for timers while the computer sleeps. */
const lookEveryMs = 60_000
/** A start that passed longer ago than this is left to a person: Switchboard was closed or asleep, or could not sync the DNC list. */
const lateMs = 15 * 60_000
/** Whether a start passed too long ago to begin now. */
export const isLate = (startMs: number, nowMs: number): boolean => nowMs - startMs > lateMs
/** Undo window of a batch that is started now. */
const startGraceMs = 20_000
/** Items changed per transaction, before yielding. */
const perPiece = 500

/** Queues what waits for a time: the end of an undo window, a chosen start, or a recipient's hours. */
export function createOutboxRelease(
  parts: Pick<PlatformParts, 'connection' | 'clock' | 'log'> & {
    repository: OutboxRepository
    each: OutboxDecisions['each']
    /** Removes the deleted contacts of a batch for good. */
    purge: (batchId: string) => Promise<unknown>
    /** Why the offline DNC copy proves nothing now, and is being synced; null while it is fresh. */
    dncProblem: () => Phrase | null
    inboundProblems: () => readonly InboundProblem[]
    /** Something may be ready to send. */
    onReleased: () => void
  },
) {
  const { repository, clock, log } = parts
  let cancelDue = () => {}
  let isEndingHours = false
  let isRecovered = false
  let cancelRan = () => {}
  /** A due batch waits for a fresh DNC copy, or until inbound messages can be read. */
  let isWaiting = false
  let stopped = false

  /** Releases batches whose undo window has ended or whose start has come, and sets the timer for the next. */
  async function releaseDue(): Promise<void> {
    if (stopped) return
    let waitMs: number | null = releaseRetryMs
    try {
      if (!isRecovered) await recover()
      await release()
      if (stopped) return
      const dueMs = [repository.nextWindowMs(), repository.nextStartMs(), repository.nextHoursMs()].filter(
        (one) => one !== null,
      )
      const leastMs = isWaiting ? releaseRetryMs : 250
      waitMs =
        dueMs.length === 0 ? null : Math.min(lookEveryMs, Math.max(leastMs, Math.min(...dueMs) - clock.now()))
    } catch (error) {
      log.warn('Could not release batches yet', { error })
    }
    releaseAfter(waitMs)
  }

  function releaseAfter(waitMs: number | null): void {
    cancelDue()
    if (waitMs !== null && !stopped) cancelDue = clock.after(waitMs, () => void releaseDue())
  }

  /** Takes an item out of the queue. What was chosen about the queue ends; what was chosen about its batch stays. */
  function schedule({ id, batchId }: StoredItem, notBeforeMs: number | null): void {
    const unchecked = repository.batch(batchId)?.unchecked === true
    repository.update(id, { state: 'scheduled', notBeforeMs, unchecked })
  }

  /** Batches that started, but were not all sent before Switchboard was closed for long, wait for a person. */
  async function recover(): Promise<void> {
    const nowMs = clock.now()
    const ids = isLate(repository.ranMs(), nowMs) ? repository.startedWithUnsent(nowMs - lateMs) : []
    for (const batchId of ids) {
      await parts.each({ filter: { batchId } }, ['queued', 'scheduled'], (item) => {
        schedule(item, null)
        return true
      })
      // What was moved leaves at its new start, now with the rest.
      if (!holdsBack(repository.batch(batchId)!, nowMs)) repository.missStart(batchId)
    }
    if (isRecovered || stopped) return
    isRecovered = true
    repository.setRan(clock.now())
    cancelRan = clock.every(lookEveryMs, noteRan)
  }

  function noteRan(): void {
    try {
      repository.setRan(clock.now())
    } catch (error) {
      log.warn('Could not note that the outbox runs', { error })
    }
  }

  /** Checked after every wait: the batch may have been undone or reopened. */
  function isDue(batchId: string): boolean {
    const { holdUntilMs = null } = repository.batch(batchId) ?? {}
    return holdUntilMs !== null && holdUntilMs <= clock.now()
  }

  /** Starts a due batch that has a start. False while it must wait, or when a person decides because it is late. */
  function startDue(batchId: string): boolean {
    const { startMs = null, holdUntilMs = null } = repository.batch(batchId) ?? {}
    if (startMs === null || holdUntilMs === null) return true
    if (isLate(holdUntilMs, clock.now())) {
      repository.missStart(batchId)
      return false
    }
    if (parts.dncProblem() !== null || parts.inboundProblems().length > 0) {
      isWaiting = true
      return false
    }
    repository.started(batchId)
    return true
  }

  /** Queues items, or schedules those whose recipients' hours haven't begun. Those of a batch that was moved wait for its start. */
  function ready(items: StoredItem[]): void {
    const nowMs = clock.now()
    repository.transaction(() => {
      for (const item of items) {
        const batch = repository.batch(item.batchId)
        const isHeld = batch !== null && holdsBack(batch, nowMs)
        const notBeforeMs = isHeld ? null : waitsForHours(item, nowMs)
        const waits = isHeld || notBeforeMs !== null
        const unchecked = item.unchecked || batch?.unchecked === true
        repository.update(item.id, { state: waits ? 'scheduled' : 'queued', notBeforeMs, unchecked })
      }
    })
  }

  /** Takes queued items whose recipients' hours have ended out of the queue. */
  async function endHours(): Promise<void> {
    if (isEndingHours) return
    isEndingHours = true
    let isEnded = false
    try {
      await parts.each({ filter: { states: ['queued'] } }, ['queued'], (item) => {
        const notBeforeMs = waitsForHours(item, clock.now())
        if (notBeforeMs !== null) schedule(item, notBeforeMs)
        return notBeforeMs !== null
      })
      isEnded = true
    } catch (error) {
      log.warn('Could not take requests outside their hours out of the queue yet', { error })
    } finally {
      isEndingHours = false
    }
    // The release wakes the drain, which finds the same items after a failure.
    if (isEnded) void releaseDue()
    else releaseAfter(releaseRetryMs)
  }

  async function release(): Promise<void> {
    for (let items; (items = repository.withinHours(clock.now(), perPiece)).length > 0;) {
      if (stopped) return
      ready(items)
      await nextTurn()
    }
    isWaiting = false
    for (const batchId of repository.dueBatches(clock.now())) {
      if (!startDue(batchId)) continue
      for (const state of ['undoable', 'scheduled'] as const)
        for (let afterId = 0; !stopped && isDue(batchId); await nextTurn()) {
          const held = repository.heldOf(batchId, state, afterId, perPiece)
          if (held.length === 0) break
          ready(held)
          afterId = held.at(-1)!.id
        }
      if (stopped) return
      if (!isDue(batchId)) continue
      try {
        await parts.purge(batchId)
        if (isDue(batchId)) repository.endHold(batchId)
      } catch (error) {
        log.warn('Could not remove deleted contacts yet', { error })
      }
    }
    parts.onReleased()
  }

  return {
    releaseDue,
    endHours,
    /** Whether a due batch waits for a fresh DNC copy, or until inbound messages can be read. */
    isWaiting: () => isWaiting,
    /** Until then nothing may be sent: it may have to wait for a person. */
    isRecovered: () => isRecovered,
    /**
     * Moves the start of a batch, or of its items that wait for their hours. `at` null starts it now, after an undo window and with the
     * DNC copy as it is. Throws OUTBOX_NOT_WAITING when nothing waits.
     */
    async setStart({ batchId, at, confirmName }: InputOf<typeof outboxContract, 'setStart'>): Promise<void> {
      const batch = repository.batch(batchId)
      if (!batch) throw new AppError('NOT_FOUND', { what: { key: 'what.batch' } })
      const waitsForHours = batch.state === 'ready' && repository.waitsFor(batchId) !== null
      if ((batch.startMs === null && !waitsForHours) || batch.state === 'filling')
        throw new AppError('OUTBOX_NOT_WAITING')
      checkConfirmed(parts.connection(), confirmName)
      const soonestMs = clock.now() + startGraceMs
      const startMs = at === null ? soonestMs : Math.max(soonestMs, Date.parse(at))
      repository.transaction(() => {
        repository.setStart(batchId, startMs)
        if (at === null) repository.started(batchId, parts.dncProblem() !== null)
        repository.hold(batchId, startMs)
      })
      if (waitsForHours)
        await parts.each({ filter: { batchId } }, ['scheduled'], ({ id }) => {
          if (repository.batch(batchId)?.holdUntilMs !== startMs) return false
          repository.update(id, { notBeforeMs: null })
          return true
        })
      void releaseDue()
    },
    stop() {
      stopped = true
      cancelDue()
      cancelRan()
    },
  }
}
