import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Dispose } from '../../../lib/disposable.ts'
import { createWakeable } from '../../../lib/wakeable.ts'
import type { JournalReader } from '../../../listener/journal-reader.ts'
import { createEventPruning, type PrunedEvent, type PruneRange } from './event-pruning.ts'
import { createEventSums } from './event-sums.ts'
import { createEventWriter, nothingWritten, type ProjectorState, type WriteResult } from './event-writer.ts'
import { createStartOver, type StartOver } from './start-over.ts'
import type { OptOutSign } from '../../people/dnc/possible-opt-outs.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** One transaction of the projector, over the deliveries in (`afterSeq`, `upToSeq`]. */
export interface ProjectedBatch extends WriteResult {
  afterSeq: number
  upToSeq: number
  /** Events stored after it. */
  storedTotal: number
  /** Old events deleted. */
  pruned: number
}

export type Projector = ReturnType<typeof createProjector>

/**
 * Most deliveries per transaction: 20 to 40 ms of the core thread. Each transaction writes every page it
 * touched, so larger ones cost less per delivery (measured: 39 µs each, 36 in transactions of 2,000).
 */
const batchSize = 1_000

/**
 * Rest after a smaller transaction, in milliseconds, to collect deliveries. The first one after a silence is read at
 * once, a trickle five times a second, a flood about ten times. At 20 events/s this halves the cost of the core and
 * its windows. Uses real timers, since nothing depends on its exact length.
 */
const trickleSize = 16
const trickleRestMs = 200
const floodRestMs = 50

/** First and longest wait after a failed batch (disk full, file locked), in milliseconds. Nothing is skipped. */
const retryFirstMs = 1_000
const retryLongestMs = 30_000

/** Interval for reporting deleted events, in milliseconds. */
const pruneReportEveryMs = 5_000

/** Reads the journal in order of seq and keeps `events` and its sums up to date. The only writer of those tables. */
export function createProjector(
  parts: Pick<PlatformParts, 'stateDb' | 'clock' | 'log'> & {
    journal: Pick<JournalReader, 'bodiesAfter' | 'read'>
    /** What an inbound text is, by the current opt-out keywords. */
    optOutSign: (text: string) => OptOutSign | null
  },
) {
  const { stateDb, journal, clock, log } = parts
  const sums = createEventSums(stateDb)
  const writer = createEventWriter(stateDb, sums)
  const pruning = createEventPruning(stateDb)
  const pruneListeners = new Set<(events: readonly PrunedEvent[]) => void>()
  /** The running deletion: its progress, and the deletions not yet reported. */
  let prune: {
    range: PruneRange
    afterSeq: number
    deleted: number
    unreported: number
    reportedMs: number
    onProgress: (deleted: number) => void
    signal: AbortSignal
  } | null = null
  const listeners = new Set<(batch: ProjectedBatch) => void>()
  let startingOver: StartOver | null = null
  /** True from the start of a rebuild until the journal was read to its end. */
  let isPartial = false
  let known = writer.state() ?? begin()
  let rebuildAsked = false
  let restDueMs = 0
  /** Number of callers waiting for the end. While there are any, the projector doesn't rest. */
  let awaiting = 0
  let endPause: () => void = () => {}

  /** The database has no watermark: it is empty, or was salvaged and needs a rebuild. */
  function begin(): ProjectorState {
    if (writer.isEmpty()) writer.moveTo(0)
    else startOver()
    return { watermark: 0, storedTotal: 0 }
  }

  function startOver(): void {
    log.info('Rebuilding events from the journal')
    isPartial = true
    startingOver = createStartOver(stateDb, sums, journal)
  }

  function report(batch: ProjectedBatch): void {
    for (const listener of listeners) {
      try {
        listener(batch)
      } catch (error) {
        log.error('A listener of the projector failed', { error })
      }
    }
  }

  /** Takes over a state in which nothing was added, and reports it. */
  function moveTo(next: ProjectorState, more: Partial<ProjectedBatch> = {}): void {
    const afterSeq = next.watermark === 0 ? 0 : known.watermark
    known = next
    const { watermark: upToSeq, storedTotal } = next
    report({ ...nothingWritten, afterSeq, upToSeq, storedTotal, pruned: 0, ...more })
  }

  function deleteDependents(events: readonly PrunedEvent[]): void {
    for (const forget of pruneListeners) forget(events)
  }

  const leftOf = ({ range, deleted }: { range: PruneRange; deleted: number }): PruneRange =>
    range.maxEvents === undefined ? range : { ...range, maxEvents: range.maxEvents - deleted }

  /** Deletes the next piece. False when there is nothing to delete. */
  function pruneStep(): boolean {
    if (!prune) return false
    const { range, signal } = prune
    const isOver = signal.aborted || (range.maxEvents !== undefined && prune.deleted >= range.maxEvents)
    const { deleted, nextSeq } = isOver
      ? { deleted: 0, nextSeq: null }
      : pruning.step(leftOf(prune), prune.afterSeq, deleteDependents)
    prune.deleted += deleted
    prune.unreported += deleted
    known = { ...known, storedTotal: known.storedTotal - deleted }
    prune.onProgress(prune.deleted)
    prune.afterSeq = nextSeq ?? (isOver ? prune.afterSeq : range.upToSeq)
    // Listeners recount everything, so report seldom.
    const isDue = nextSeq === null || clock.monotonic() - prune.reportedMs >= pruneReportEveryMs
    if (isDue && prune.unreported > 0) {
      moveTo(known, { pruned: prune.unreported })
      prune.unreported = 0
      prune.reportedMs = clock.monotonic()
    }
    if (nextSeq === null) prune = null
    return true
  }

  /** Runs one transaction. False when there was nothing to do. */
  function step(): boolean {
    if (rebuildAsked) {
      startOver()
      rebuildAsked = false
      moveTo({ watermark: 0, storedTotal: 0 })
    }
    if (startingOver) {
      const storedTotal = startingOver.step()
      if (storedTotal === null) return true
      startingOver = null
      moveTo({ watermark: 0, storedTotal })
    }
    const afterSeq = known.watermark
    const deliveries = journal.bodiesAfter(afterSeq, batchSize)
    const last = deliveries.at(-1)
    if (!last) {
      // Events were kept although the journal lost its end: continue above them.
      const highest = writer.highestSeq()
      if (highest > afterSeq) {
        writer.moveTo(highest)
        moveTo({ ...known, watermark: highest })
      }
      if (isPartial) {
        isPartial = false
        moveTo(known)
      }
      return pruneStep()
    }
    const result = writer.write(deliveries, parts.optOutSign)
    const isTrickle = deliveries.length < trickleSize
    restDueMs = deliveries.length === batchSize ? 0 : isTrickle ? trickleRestMs : floodRestMs
    known = { watermark: last.seq, storedTotal: known.storedTotal + result.added }
    report({ ...result, pruned: 0, afterSeq, upToSeq: last.seq, storedTotal: known.storedTotal })
    return true
  }

  async function rest(signal: AbortSignal): Promise<void> {
    const restMs = restDueMs
    restDueMs = 0
    if (awaiting > 0 || signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, restMs)
      endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function run(signal: AbortSignal): Promise<void> {
    let retryMs = retryFirstMs
    await nextTurn()
    while (!signal.aborted) {
      try {
        if (!step()) return
        retryMs = retryFirstMs
        await nextTurn()
        if (restDueMs > 0) await rest(signal)
      } catch (error) {
        log.error('Could not read events from the journal; trying again', {
          afterSeq: known.watermark,
          retryMs,
          error,
        })
        await clock.sleep(retryMs, signal).catch(() => {})
        retryMs = Math.min(retryMs * 2, retryLongestMs)
      }
    }
  }

  const reading = createWakeable({
    work: run,
    onFailed: (error) => log.error('Could not read events from the journal', { error }),
    retryMs: retryLongestMs,
    clock,
  })

  /** Waits, without rests, until the current work is done. */
  async function untilDone(): Promise<void> {
    awaiting++
    endPause()
    try {
      await reading.settled()
    } finally {
      awaiting--
    }
  }

  return {
    /** Starts with what arrived while Switchboard was closed. Returns its stop. */
    start(): Dispose {
      reading.start()
      reading.wake()
      return () => {
        void reading.stop()
        return untilDone()
      }
    },
    /** Reports that the journal holds deliveries up to `lastSeq`. Cheap; may be called for each. */
    notify(lastSeq: number): void {
      if (lastSeq <= known.watermark) return
      reading.wake()
      if (lastSeq - known.watermark >= batchSize) endPause()
    },
    /** Discards all events the journal can restore and reads it again. Resolves when it has caught up. */
    async rebuild(): Promise<void> {
      rebuildAsked = true
      reading.wake()
      await untilDone()
    },
    /** Calls `callback` after each committed batch, and with `upToSeq: 0` around a rebuild. Returns its removal. */
    onProjected(callback: (batch: ProjectedBatch) => void): Dispose {
      listeners.add(callback)
      return () => void listeners.delete(callback)
    },
    /**
     * Deletes old events while no new ones wait, and calls `onProgress` after each piece. Resolves with the number
     * deleted and the last seq reached, when done, when `signal` aborts or when the projector stops. One at a
     * time.
     */
    async prune(
      range: PruneRange,
      onProgress: (deleted: number) => void,
      signal: AbortSignal,
    ): Promise<{ deleted: number; upToSeq: number }> {
      const progress = { afterSeq: 0, deleted: 0, unreported: 0, reportedMs: clock.monotonic() }
      const request = (prune = { range, onProgress, signal, ...progress })
      reading.wake()
      await untilDone()
      if (prune === request) prune = null
      return { deleted: request.deleted, upToSeq: request.afterSeq }
    },
    /** Deletes these events in one transaction. @returns how many. */
    drop(seqs: readonly number[]): number {
      const dropped = pruning.drop(seqs, deleteDependents)
      if (dropped > 0) moveTo({ ...known, storedTotal: known.storedTotal - dropped }, { pruned: dropped })
      return dropped
    },
    /** Calls `forget` in the transaction that deletes events, to delete what depends on them. Returns its removal. */
    onPruned(forget: (events: readonly PrunedEvent[]) => void): Dispose {
      pruneListeners.add(forget)
      return () => void pruneListeners.delete(forget)
    },
    state: (): ProjectorState => known,
    /** Resolves when no rebuild is running, so that all events are there. Rejects with the signal's reason. */
    async whenComplete(signal: AbortSignal): Promise<void> {
      while (isPartial || rebuildAsked)
        await new Promise<void>((resolve, reject) => {
          const end = () => {
            listeners.delete(look)
            signal.removeEventListener('abort', end)
            if (signal.aborted) reject(signal.reason as Error)
            else resolve()
          }
          const look = () => {
            if (!isPartial) end()
          }
          listeners.add(look)
          signal.addEventListener('abort', end, { once: true })
          if (signal.aborted) end()
        })
    },
    /** The highest journal seq read or used by an event. New deliveries must have higher ones. */
    highestSeq: (): number => Math.max(known.watermark, writer.highestSeq()),
    /** Resolves when nothing is left to read, or when the projector has stopped. */
    caughtUp: untilDone,
  }
}
