import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Retention,
  type RetentionSettings,
  retentionSettingsSchema,
} from '../../../contract/live/retention.ts'
import { fileRoom } from '../../../database/file-room.ts'
import type { Dispose } from '../../../lib/disposable.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { createWakeable } from '../../../lib/wakeable.ts'
import type { JournalReader } from '../../../listener/journal-reader.ts'
import type { PruneRange } from '../events/event-pruning.ts'
import type { EventsRepository } from '../events/events.repository.ts'
import type { Projector } from '../events/projector.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import { settingKey } from '../../platform/settings/connection-settings.ts'
import type { PlatformParts } from '../../platform/parts.ts'

const dayMs = 86_400_000
const mebibyte = 1024 * 1024

/** By default nothing is deleted. */
const keepEverything: RetentionSettings = { deleteAfterDays: null, maxMb: null, keepAtLeastDays: 7 }

const firstLookMs = 60_000
const lookEveryMs = 600_000

/** Extra share to free when over the limit, so that deletions stay rare. */
const roomShare = 0.05

/** Pause between pieces of the journal: its writer must acknowledge deliveries. */
const journalPauseMs = 5

/** Bytes of an event's row and index entries besides its texts, measured over millions of reports. */
const rowBytes = 150

/** Journal numbers per query for remaining references. */
const referredAtOnce = 2_000

export type RetentionService = ReturnType<typeof createRetentionService>

/** Deletes a connection's events by age and size, but never ones newer than the operator allows. */
export function createRetentionService(
  parts: Pick<PlatformParts, 'stateDb' | 'settings' | 'clock' | 'log'> & {
    connectionId: string
    stateFile: string
    journalFile: string
    journal: Pick<JournalReader, 'room' | 'lastSeq' | 'read'>
    events: Pick<EventsRepository, 'seqBounds' | 'find' | 'referred'>
    projector: Pick<Projector, 'state' | 'prune' | 'caughtUp'>
    listener: Pick<ListenerService, 'prune'>
  },
) {
  const { connectionId, stateDb, journal, events, projector, listener, clock, log } = parts
  const key = settingKey(connectionId, 'retention')
  let running: { deleted: number } | null = null
  /** Ends a deletion by former settings. */
  let outdated = new AbortController()
  let overLimit = false
  let last: Retention['last'] = null

  const settings = () => parts.settings.get(key, retentionSettingsSchema) ?? keepEverything
  const textBytes = stateDb
    .prepare<[], number | null>(
      `SELECT avg(length(coalesce(message_id, '')) + length(coalesce(content, '')) + 2 * length(coalesce(number, '')))
       FROM (SELECT * FROM (SELECT * FROM events ORDER BY seq DESC LIMIT 200)
         UNION ALL SELECT * FROM (SELECT * FROM events ORDER BY seq LIMIT 200))`,
    )
    .pluck()
  /** Bytes that deleting events can free: deliveries, and an estimate for their rows. */
  const usedBytes = () =>
    journal.room().usedBytes + Math.round(projector.state().storedTotal * (rowBytes + (textBytes.get() ?? 0)))
  const fileBytes = () =>
    [parts.stateFile, parts.journalFile]
      .flatMap((file) => [file, `${file}-wal`])
      .reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)

  /**
   * The time ages are counted from: now, but at most `keepAtLeastDays` after the newest delivery. Otherwise a
   * wrong clock would delete everything.
   */
  function referenceMs({ keepAtLeastDays }: RetentionSettings): number {
    const newest = journal.read(journal.lastSeq())
    return newest ? Math.min(clock.now(), newest.receivedMs + keepAtLeastDays * dayMs) : clock.now()
  }

  function rangeByAge(limits: RetentionSettings): PruneRange | null {
    if (limits.deleteAfterDays === null) return null
    const beforeMs = referenceMs(limits) - limits.deleteAfterDays * dayMs
    const bounds = events.seqBounds(null, beforeMs)
    return bounds && { upToSeq: bounds.lastSeq, beforeMs }
  }

  /** The oldest events that exceed the size limit, by the average size of an event. */
  function rangeBySize(limits: RetentionSettings): PruneRange | null {
    const { storedTotal } = projector.state()
    const all = events.seqBounds(null, null)
    if (limits.maxMb === null || !all || storedTotal <= 0) return null
    const limit = limits.maxMb * mebibyte
    const used = usedBytes()
    if (used <= limit) return null
    const share = Math.min(1, (used - limit * (1 - roomShare)) / used)
    return {
      upToSeq: all.lastSeq,
      beforeMs: referenceMs(limits) - limits.keepAtLeastDays * dayMs,
      maxEvents: Math.ceil(storedTotal * share),
    }
  }

  /** Estimated events in a range, assuming numbers and duplicates are spread evenly. */
  function estimate({ upToSeq, beforeMs, maxEvents = Infinity }: PruneRange): number {
    const all = events.seqBounds(null, null)
    const old = events.seqBounds(null, beforeMs)
    if (!all || !old) return 0
    const seqs = Math.max(0, Math.min(upToSeq, old.lastSeq) - all.firstSeq + 1)
    const share = seqs / (all.lastSeq - all.firstSeq + 1)
    return Math.min(maxEvents, Math.round(share * projector.state().storedTotal))
  }

  /** Deletes events first, then their deliveries. An interrupted deletion is finished by the next one. */
  async function prune(range: PruneRange, signal: AbortSignal): Promise<number> {
    const progress = (running = { deleted: 0 })
    const note = (count: number) => void (progress.deleted = count)
    const { deleted, upToSeq } = await projector.prune(range, note, signal)
    for (let afterSeq = 0; !signal.aborted;) {
      const referred = events.referred(afterSeq, upToSeq, referredAtOnce)
      const end = referred.length < referredAtOnce ? upToSeq : referred.at(-1)!
      const startedMs = performance.now()
      const { beforeMs } = range
      const piece = await listener.prune({ afterSeq, upToSeq: end, beforeMs, keep: referred })
      if (!piece || (piece.nextSeq === null && end === upToSeq)) break
      afterSeq = piece.nextSeq ?? end
      // Leave at least half of the time to incoming deliveries.
      await pause(Math.max(journalPauseMs, performance.now() - startedMs))
    }
    return deleted
  }

  async function run(signal: AbortSignal): Promise<void> {
    await projector.caughtUp()
    const byAge = signal.aborted ? null : rangeByAge(settings())
    let deleted = byAge ? await prune(byAge, signal) : 0
    const bySize = signal.aborted ? null : rangeBySize(settings())
    const deletedBySize = bySize ? await prune(bySize, signal) : 0
    deleted += deletedBySize
    if (!signal.aborted) overLimit = bySize !== null && deletedBySize === 0
    if (deleted > 0) {
      last = { at: isoTime(clock.now()), deleted }
      log.info('Deleted old events', { deleted })
    }
  }

  const pruning = createWakeable({
    async work(signal) {
      outdated = new AbortController()
      try {
        await run(AbortSignal.any([signal, outdated.signal]))
      } finally {
        running = null
      }
    },
    onFailed: (error) => log.warn('Could not delete old events; trying again later', { error }),
    retryMs: lookEveryMs,
    clock,
  })

  function get(): Retention {
    const bounds = events.seqBounds(null, null)
    return {
      settings: settings(),
      events: projector.state().storedTotal,
      oldestAt: bounds ? (events.find(bounds.firstSeq)?.event.receivedAt ?? null) : null,
      usedBytes: usedBytes(),
      fileBytes: fileBytes(),
      freeBytes: journal.room().freeBytes + fileRoom(stateDb).freeBytes,
      running,
      last,
      overLimit,
      asOf: isoTime(clock.now()),
    }
  }

  return {
    get,
    preview(limits: RetentionSettings): { events: number; before: string | null } {
      const ranges = [rangeByAge(limits), rangeBySize(limits)]
        .filter((range) => range !== null)
        .map((range) => ({ events: estimate(range), beforeMs: range.beforeMs }))
      const most = ranges.toSorted((a, b) => b.events - a.events)[0]
      return most && most.events > 0
        ? { events: most.events, before: isoTime(most.beforeMs) }
        : { events: 0, before: null }
    },
    set(limits: RetentionSettings): Retention {
      parts.settings.put(key, limits)
      outdated.abort()
      overLimit = false
      pruning.wake()
      return get()
    },
    /** Checks periodically whether events must be deleted. Returns the stop. */
    start(): Dispose {
      pruning.start()
      const cancels = [clock.after(firstLookMs, pruning.wake), clock.every(lookEveryMs, pruning.wake)]
      return () => {
        for (const cancel of cancels) cancel()
        return pruning.stop()
      }
    },
    /** Resolves when the current deletion is done. */
    settled: pruning.settled,
  }
}
