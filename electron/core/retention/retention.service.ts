import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Retention, type RetentionSettings, retentionSettingsSchema } from '../../contract/retention.ts'
import type { Database } from '../../database/open.ts'
import { usedBytesOf } from '../../database/used-bytes.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Dispose } from '../../lib/disposable.ts'
import { isoTime } from '../../lib/iso-time.ts'
import type { Log } from '../../lib/log.ts'
import type { JournalReader } from '../../listener/journal.ts'
import { createEventPruning, type PruneRange } from '../events/event-pruning.ts'
import type { EventsRepository } from '../events/events.repository.ts'
import type { Projector } from '../events/projector.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import type { SettingsRepository } from '../settings/settings.repository.ts'

const dayMs = 86_400_000
const mebibyte = 1024 * 1024

/** What nobody chose deletes nothing. */
const keepEverything: RetentionSettings = { deleteAfterDays: null, maxMb: null, keepAtLeastDays: 7 }

const firstLookMs = 60_000
const lookEveryMs = 600_000

/** Over the limit, so much less than it is kept, or every few events would begin a deletion. */
const roomShare = 0.05

/** Between two pieces of the journal: its writer has deliveries to acknowledge. */
const journalPauseMs = 5

/** Numbers of the journal for which it is asked what still refers to them. */
const referredAtOnce = 2_000

export interface RetentionService {
  get(): Retention
  preview(settings: RetentionSettings): { events: number; before: string | null }
  set(settings: RetentionSettings): Retention
  /** Looks from time to time whether something is to go. Returns the stop. */
  start(): Dispose
  /** Resolves when the deletion that is under way is through. */
  settled(): Promise<void>
}

/** Keeps the events of a connection for as long as the operator wants, and never deletes what is newer than that. */
export function createRetentionService(parts: {
  connectionId: string
  stateDb: Database
  stateFile: string
  journalFile: string
  journal: Pick<JournalReader, 'usedBytes'>
  events: Pick<EventsRepository, 'seqBounds' | 'find'>
  projector: Pick<Projector, 'state' | 'prune' | 'caughtUp'>
  listener: Pick<ListenerService, 'prune'>
  settings: SettingsRepository
  clock: Clock
  log: Log
}): RetentionService {
  const { connectionId, stateDb, events, projector, listener, clock, log } = parts
  const key = `connection/${connectionId}/retention`
  const pruning = createEventPruning(stateDb)
  let stopped = true
  let running: { deleted: number } | null = null
  let work: Promise<void> | null = null
  let again = false
  let last: Retention['last'] = null

  const settings = () => parts.settings.get(key, retentionSettingsSchema) ?? keepEverything
  const usedBytes = () => usedBytesOf(stateDb) + parts.journal.usedBytes()
  const fileBytes = () =>
    [parts.stateFile, parts.journalFile]
      .flatMap((file) => [file, `${file}-wal`])
      .reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)

  function rangeByAge({ deleteAfterDays }: RetentionSettings, nowMs: number): PruneRange | null {
    if (deleteAfterDays === null) return null
    const beforeMs = nowMs - deleteAfterDays * dayMs
    const bounds = events.seqBounds(null, beforeMs)
    return bounds && { upToSeq: bounds.lastSeq, beforeMs }
  }

  /** The oldest part of the events, by the bytes that one needs on average. */
  function rangeBySize({ maxMb, keepAtLeastDays }: RetentionSettings, nowMs: number): PruneRange | null {
    const all = events.seqBounds(null, null)
    const { storedTotal } = projector.state()
    if (maxMb === null || !all || storedTotal <= 0) return null
    const limit = maxMb * mebibyte
    const used = usedBytes()
    if (used <= limit) return null
    const share = Math.min(1, (used - limit * (1 - roomShare)) / used)
    const upToSeq = all.firstSeq + Math.ceil((all.lastSeq - all.firstSeq + 1) * share) - 1
    return { upToSeq, beforeMs: nowMs - keepAtLeastDays * dayMs }
  }

  /** About how many events are in a range: numbers are given one by one, and copies are spread over all of them. */
  function estimate({ upToSeq, beforeMs }: PruneRange): number {
    const all = events.seqBounds(null, null)
    const old = events.seqBounds(null, beforeMs)
    if (!all || !old) return 0
    const seqs = Math.max(0, Math.min(upToSeq, old.lastSeq) - all.firstSeq + 1)
    return Math.round((seqs / (all.lastSeq - all.firstSeq + 1)) * projector.state().storedTotal)
  }

  /** Events first, then their deliveries: what is broken off in between is finished the next time. */
  async function prune(range: PruneRange): Promise<number> {
    const { upToSeq } = range
    const progress = (running = { deleted: 0 })
    const deleted = await projector.prune(range, (count) => (progress.deleted = count))
    for (let afterSeq = 0; !stopped;) {
      const referred = pruning.referred(afterSeq, upToSeq, referredAtOnce)
      const end = referred.length < referredAtOnce ? upToSeq : referred.at(-1)!
      const piece = await listener.prune({ ...range, afterSeq, upToSeq: end, keep: referred })
      if (!piece || (piece.nextSeq === null && end === upToSeq)) break
      afterSeq = piece.nextSeq ?? end
      await pause(journalPauseMs)
    }
    return deleted
  }

  async function run(): Promise<void> {
    await projector.caughtUp()
    let deleted = 0
    for (const rangeOf of [rangeByAge, rangeBySize]) {
      const range = stopped ? null : rangeOf(settings(), clock.now())
      if (range) deleted += await prune(range)
    }
    if (deleted > 0) {
      last = { at: isoTime(clock.now()), deleted }
      log.info('Old events were deleted', { deleted })
    }
  }

  function wake(): void {
    again = true
    if (stopped) return
    work ??= (async () => {
      while (again && !stopped) {
        again = false
        try {
          await run()
        } catch (error) {
          log.warn('Old events could not be deleted; it is tried again later', { error })
        } finally {
          running = null
        }
      }
    })().finally(() => (work = null))
  }

  function get(): Retention {
    const bounds = events.seqBounds(null, null)
    const tooMuch = rangeBySize(settings(), clock.now())
    return {
      settings: settings(),
      events: projector.state().storedTotal,
      oldestAt: bounds ? (events.find(bounds.firstSeq)?.event.receivedAt ?? null) : null,
      usedBytes: usedBytes(),
      fileBytes: fileBytes(),
      running,
      last,
      overLimit: tooMuch !== null && estimate(tooMuch) === 0,
      asOf: isoTime(clock.now()),
    }
  }

  return {
    get,
    preview(wanted) {
      const ranges = [rangeByAge, rangeBySize]
        .map((rangeOf) => rangeOf(wanted, clock.now()))
        .filter((range) => range !== null)
        .map((range) => ({ events: estimate(range), beforeMs: range.beforeMs }))
      const most = ranges.toSorted((a, b) => b.events - a.events)[0]
      return most && most.events > 0
        ? { events: most.events, before: isoTime(most.beforeMs) }
        : { events: 0, before: null }
    },
    set(wanted) {
      parts.settings.put(key, wanted)
      wake()
      return get()
    },
    start() {
      stopped = false
      const cancels = [clock.after(firstLookMs, wake), clock.every(lookEveryMs, wake)]
      return async () => {
        stopped = true
        for (const cancel of cancels) cancel()
        await work
      }
    },
    async settled() {
      while (work) await work
    },
  }
}
