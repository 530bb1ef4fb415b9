import type { InferContractRouterInputs, InferContractRouterOutputs } from '@orpc/contract'
import type { Database } from 'better-sqlite3'
import { AppError } from '../../contract/errors.ts'
import type { EventBatch, EventDetail, EventSeries, Hole } from '../../contract/events.ts'
import type { Replay, replayContract } from '../../contract/replay.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Dispose } from '../../lib/disposable.ts'
import type { Log } from '../../lib/log.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import { beats, createPulse } from '../../lib/pulse.ts'
import type { JournalReader } from '../../listener/journal.ts'
import { createEventScan } from '../live/events/event-scan.ts'
import { searchEvents, type SearchInput } from '../live/events/event-search.ts'
import { readSeries } from '../live/events/event-series.ts'
import { watchEvents } from '../live/events/event-watch.ts'
import { type EventsRepository, isoOf } from '../live/events/events.repository.ts'
import type { EventsService } from '../live/events/events.service.ts'
import type { Projector } from '../live/events/projector.ts'
import { createReplayPlayer, type ReplayPlayer } from './replay-player.ts'
import { createReplayRepository } from './replay.repository.ts'
import { deleteRecordings, openRecording } from './recording-source.ts'
import type { ReplaySource } from './replay-source.ts'
import { createReplayView, type ReplayView } from './replay-view.ts'

type Inputs = InferContractRouterInputs<typeof replayContract>
type Outputs = InferContractRouterOutputs<typeof replayContract>

/** The contract's most, so that every hole of the span is known. */
const recordDays = 400

const gaps = { minGapMs: 200, maxGapMs: 5_000 }

/** The replay of one open connection: at most one, for all its windows. Shapes as in the contract. */
export interface ReplayService {
  watchState(signal: AbortSignal): AsyncGenerator<{ replay: Replay | null; asOf: string }, void>
  /** Throws `INVALID_INPUT`, `REPLAY_EMPTY`. */
  start(input: { from: string; to: string; speed: Replay['speed']; skipQuiet: boolean }): Replay
  /**
   * Begins a replay of a file that was found whole, `chain` the hash of its last line but the closing one. Tells how far its reading is;
   * nothing begins when `signal` aborts meanwhile. Throws `RECORDING_EMPTY`, `RECORDING_UNREADABLE`, `RECORDING_NOT_AS_CHECKED`,
   * `RECORDING_NO_ROOM`, `DISK_FULL`.
   */
  load(
    file: {
      path: string
      chain: string
      recording: NonNullable<Replay['recording']>
      speed: Replay['speed']
      skipQuiet: boolean
    },
    onProgress: (doneBytes: number, totalBytes: number) => void,
    signal: AbortSignal,
  ): Promise<Replay>
  /** Arrivals and holes of the whole span. Throws `REPLAY_ENDED`. */
  profile(bucketMs: number): { series: EventSeries; holes: Hole[] }
  /** Throws `REPLAY_ENDED`, `INVALID_INPUT`. */
  control(input: Inputs['control']): Replay
  stop(): void
  /** Throws `REPLAY_ENDED`, also where it ends before the answer is found. */
  search(input: SearchInput, signal?: AbortSignal): Promise<Outputs['search']>
  watch(input: Inputs['watch'], signal: AbortSignal): AsyncGenerator<EventBatch, void>
  get(seq: number): EventDetail
  series(input: Inputs['series']): EventSeries
  holes(): Outputs['holes']
}

/**
 * Shows stored events again as they arrived. It only reads: it has no way to the journal's writer, to the projector's, to what acts
 * on events, or to the service.
 */
export function createReplayService(parts: {
  stateDb: Database
  events: EventsRepository
  journal: Pick<JournalReader, 'read'>
  projector: Pick<Projector, 'state' | 'onProjected'>
  recovered: (messageId: string) => EventDetail['recovered']
  holes: EventsService['holes']
  /** The folder for the events of files while they are replayed. */
  recordingsDir: string
  clock: Clock
  log: Log
}): ReplayService & { dispose: Dispose } {
  const { projector, clock } = parts
  // What a console that was killed left there.
  deleteRecordings(parts.recordingsDir, parts.log)
  const repository = createReplayRepository(parts.stateDb)
  const stored: ReplaySource = {
    repository,
    events: parts.events,
    journal: parts.journal,
    watermark: () => projector.state().watermark,
    recovered: parts.recovered,
    holes: () => parts.holes(recordDays),
    goneBefore: 0,
    recording: null,
    close() {},
  }
  const pulse = createPulse()
  let current: {
    source: ReplaySource
    player: ReplayPlayer
    view: ReplayView
    scan: ReturnType<typeof createEventScan>
    /** Aborted with REPLAY_ENDED, after which its source must not be asked. */
    over: AbortController
  } | null = null
  const closing = new AbortController()
  const unwatch = projector.onProjected(({ replaced, pruned, upToSeq }) => {
    if (replaced > 0 || pruned > 0 || upToSeq === 0) current?.scan.forget()
  })

  function running() {
    if (!current) throw new AppError('REPLAY_ENDED')
    return current
  }

  function readTime(name: string, text: string): number {
    const timeMs = Date.parse(text)
    if (Number.isNaN(timeMs)) throw new AppError('INVALID_INPUT', { detail: `"${name}" is not a time` })
    return timeMs
  }

  function end(): void {
    const ended = current
    current = null
    ended?.over.abort(new AppError('REPLAY_ENDED'))
    ended?.player.stop()
    ended?.source.close()
    pulse.fire()
  }

  /** Takes the place of one that runs. `fromMs` and `toMs` are whole seconds. */
  function begin(
    source: ReplaySource,
    span: { fromMs: number; toMs: number; speed: Replay['speed']; skipQuiet: boolean },
  ): Replay {
    const player = createReplayPlayer({ source, clock, pulse, ...span })
    if (player.state().total === 0)
      throw new AppError('REPLAY_EMPTY', { from: isoOf(span.fromMs), to: isoOf(span.toMs) })
    end()
    const view = createReplayView({ source, place: player.place })
    current = { source, player, view, scan: createEventScan(view.repository), over: new AbortController() }
    player.resume()
    return player.state()
  }

  return {
    async *watchState(signal) {
      for await (const _beat of beats(pulse, clock, gaps, signal))
        yield { replay: current?.player.state() ?? null, asOf: isoOf(clock.now()) }
    },

    start({ from, to, speed, skipQuiet }) {
      const fromMs = Math.floor(readTime('from', from) / 1_000) * 1_000
      // Only seconds that are over: what has still to arrive is no part of a replay.
      const overMs = Math.floor(clock.now() / 1_000) * 1_000
      const toMs = Math.min(Math.ceil(readTime('to', to) / 1_000) * 1_000, overMs)
      if (toMs <= fromMs)
        throw new AppError('INVALID_INPUT', { detail: 'the end of a replay must be after its beginning' })
      return begin(stored, { fromMs, toMs, speed, skipQuiet })
    },

    async load({ path, chain, recording, speed, skipQuiet }, onProgress, signal) {
      const source = await openRecording({
        file: path,
        chain,
        dir: parts.recordingsDir,
        recording,
        log: parts.log,
        signal: AbortSignal.any([signal, closing.signal]),
        onProgress,
        freeBytes,
      })
      try {
        const fromMs = Math.floor(Date.parse(source.from) / 1_000) * 1_000
        const toMs = Math.ceil(Date.parse(source.to) / 1_000) * 1_000
        return begin(source, { fromMs, toMs, speed, skipQuiet })
      } catch (error) {
        source.close()
        throw error
      }
    },

    profile(bucketMs) {
      const { source, player } = running()
      const { fromMs, toMs } = player.place()
      const range = { from: isoOf(fromMs), to: isoOf(toMs), bucketMs }
      return { series: readSeries(source.events, range, clock.now()), holes: source.holes().holes }
    },

    control(input) {
      const { player } = running()
      switch (input.action) {
        case 'pause':
          player.pause()
          break
        case 'resume':
          player.resume()
          break
        case 'step':
          player.step()
          break
        case 'seek':
          player.seek(readTime('at', input.at))
          break
        case 'speed':
          player.setSpeed(input.speed)
          break
        case 'skipQuiet':
          player.skipQuiet(input.on)
      }
      return player.state()
    },

    stop: end,

    async search(input, signal) {
      const { player, view, scan, over } = running()
      const state = { watermark: player.place().position, storedTotal: player.state().shown }
      const { repository: asThen } = view
      const until = signal ? AbortSignal.any([signal, over.signal]) : over.signal
      try {
        return await searchEvents(
          { repository: asThen, scan, state, clock },
          view.filter(input.filter),
          input,
          until,
        )
      } catch (error) {
        over.signal.throwIfAborted()
        throw error
      }
    },

    async *watch({ filter, afterSeq }, signal) {
      const { player, view, scan } = running()
      const source = {
        repository: view.repository,
        scan,
        pulse,
        state: () => ({ watermark: player.place().position, storedTotal: player.state().shown }),
        clock,
      }
      // A position ahead of the clock is of another replay, or of before it was set back: the client hears where it stands.
      const position = Math.min(afterSeq, player.place().position)
      yield* watchEvents(source, view.filter(filter), position, AbortSignal.any([signal, player.signal()]))
    },

    get: (seq) => running().view.get(seq),
    series: (range) => {
      const { player, view } = running()
      return readSeries(view.repository, range, player.place().clockMs)
    },
    holes() {
      const { source, player, view } = running()
      const { holes, recordedSince } = source.holes()
      return { holes: view.holes(holes), recordedSince, asOf: isoOf(Math.floor(player.place().clockMs)) }
    },

    dispose() {
      closing.abort()
      unwatch()
      end()
    },
  }
}
