import type { Database } from 'better-sqlite3'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import type { Dispose } from '../../lib/disposable.ts'
import type { Log } from '../../lib/log.ts'
import type { JournalReader } from '../../listener/journal.ts'
import { createEventSums } from './event-sums.ts'
import { createEventWriter, type ProjectorState, type WriteResult } from './event-writer.ts'
import { createStartOver, type StartOver } from './start-over.ts'
import { createTallyBacklog } from './tally-backlog.ts'
import { createStopWordTest } from './stop-words.ts'

/** One transaction of the projector: what the deliveries in (`afterSeq`, `upToSeq`] became. */
export interface ProjectedBatch extends WriteResult {
  afterSeq: number
  upToSeq: number
  /** Events stored after it. */
  storedTotal: number
}

export interface ProjectorOptions {
  stateDb: Database
  journal: Pick<JournalReader, 'readAfter' | 'read'>
  clock: Clock
  log: Log
  /** The stop words that hold now. Asked before each batch. */
  stopWords: () => readonly string[]
}

export interface Projector {
  /** Begins, with what came in while the console was closed. Returns its stop. */
  start(): Dispose
  /** Says that the journal holds deliveries up to `lastSeq`. Cheap; may be called for each. */
  notify(lastSeq: number): void
  /**
   * Throws away what was made of the journal, but for the events of which it has lost a part, and reads it again. Resolves when
   * it has caught up.
   */
  rebuild(): Promise<void>
  /** Calls `callback` after each committed batch, and with `upToSeq: 0` around a start over. Returns its removal. */
  onProjected(callback: (batch: ProjectedBatch) => void): Dispose
  state(): ProjectorState
  /** The highest journal seq that was read or that an event has. New deliveries must have higher ones. */
  highestSeq(): number
  /** Resolves when there is nothing left to read, or when the projector has stopped. */
  caughtUp(): Promise<void>
}

/** Deliveries per transaction: about 20 ms of the core thread (measured 35–40 µs each), which no click notices. */
const batchSize = 500

/** First and longest pause after a batch failed (disk full, file locked), milliseconds. Nothing is skipped. */
const retryFirstMs = 1_000
const retryLongestMs = 30_000

/** Reads the journal in order of seq and keeps `events` and its sums in step with it. The only writer of those tables. */
export function createProjector(options: ProjectorOptions): Projector {
  const { journal, clock, log } = options
  const sums = createEventSums(options.stateDb)
  const writer = createEventWriter(options.stateDb, sums)
  const backlog = createTallyBacklog(options.stateDb, sums)
  const listeners = new Set<(batch: ProjectedBatch) => void>()
  let startingOver: StartOver | null = null
  let known = writer.state() ?? begin()
  let stopSignal = new AbortController()
  let running: Promise<void> | null = null
  let rebuildAsked = false
  let stopWords: readonly string[] = []
  let isStopWord = createStopWordTest(stopWords)

  /** Without a watermark: with an empty database, or with one that was salvaged and is gone through step by step. */
  function begin(): ProjectorState {
    if (writer.isEmpty()) writer.moveTo(0)
    else startOver()
    return { watermark: 0, storedTotal: 0 }
  }

  function startOver(): void {
    log.info('Events are made of the journal again')
    startingOver = createStartOver(options.stateDb, sums, journal)
  }

  function tell(batch: ProjectedBatch): void {
    for (const listener of listeners) {
      try {
        listener(batch)
      } catch (error) {
        log.error('A listener of the projector failed', { error })
      }
    }
  }

  function stopWordTest(): (text: string) => boolean {
    const words = options.stopWords()
    if (words !== stopWords) {
      stopWords = words
      isStopWord = createStopWordTest(words)
    }
    return isStopWord
  }

  /** Takes over a state in which nothing was added, and tells of it. */
  function moveTo(next: ProjectorState): void {
    const afterSeq = next.watermark === 0 ? 0 : known.watermark
    known = next
    const { watermark: upToSeq, storedTotal } = next
    tell({
      afterSeq,
      upToSeq,
      storedTotal,
      added: 0,
      copies: 0,
      replaced: 0,
      replacedInbound: 0,
      quarantined: 0,
      stopWords: 0,
    })
  }

  /** One transaction. False when there was nothing to do. */
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
    const deliveries = journal.readAfter(afterSeq, batchSize)
    const last = deliveries.at(-1)
    if (!last) {
      // Events that were kept although the journal has lost its end: it goes on above them.
      const highest = writer.highestSeq()
      if (highest > afterSeq) {
        writer.moveTo(highest)
        moveTo({ ...known, watermark: highest })
      }
      // Old events are counted while no new ones wait.
      return backlog.step()
    }
    const result = writer.write(deliveries, stopWordTest())
    known = { watermark: last.seq, storedTotal: known.storedTotal + result.added }
    tell({ ...result, afterSeq, upToSeq: last.seq, storedTotal: known.storedTotal })
    return true
  }

  async function run(signal: AbortSignal): Promise<void> {
    let retryMs = retryFirstMs
    while (!signal.aborted) {
      try {
        if (!step()) return
        retryMs = retryFirstMs
        await nextTurn()
      } catch (error) {
        log.error('Events could not be read from the journal; trying again', {
          afterSeq: known.watermark,
          retryMs,
          error,
        })
        await clock.sleep(retryMs, signal).catch(() => {})
        retryMs = Math.min(retryMs * 2, retryLongestMs)
      }
    }
  }

  let started = false
  let again = false

  /** Runs until the journal is read, once more when something arrived after the last look. */
  function wake(): void {
    if (!started) return
    again = true
    running ??= (async () => {
      await nextTurn()
      while (again && started) {
        again = false
        await run(stopSignal.signal)
      }
    })().finally(() => {
      running = null
    })
  }

  return {
    start() {
      started = true
      stopSignal = new AbortController()
      wake()
      return async () => {
        started = false
        stopSignal.abort()
        await running
      }
    },
    notify(lastSeq) {
      if (lastSeq > known.watermark) wake()
    },
    async rebuild() {
      rebuildAsked = true
      wake()
      await running
    },
    onProjected(callback) {
      listeners.add(callback)
      return () => void listeners.delete(callback)
    },
    state: () => known,
    highestSeq: () => Math.max(known.watermark, writer.highestSeq()),
    caughtUp: async () => {
      while (running) await running
    },
  }
}
