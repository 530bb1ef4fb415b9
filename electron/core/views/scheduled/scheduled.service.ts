import { writeFileSync } from 'node:fs'
import type { ScheduledMessage } from '../../../contract/domain.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import type { ScheduledReading, ScheduledStep } from '../../../contract/views/scheduled.ts'
import { titlesOf } from '../../../jobs/run/csv-headers.ts'
import { writeCsv } from '../../../lib/csv/row-writer.ts'
import { isoTime, utcDay } from '../../../lib/iso-time.ts'
import type { AnswersRepository } from '../../platform/answers/answers.repository.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { sweepScheduled } from './scheduled-sweep.ts'
import type { PlatformParts } from '../../platform/parts.ts'

const key = 'scheduled-messages'
/** Entries per step, so that a step stays within a few hundred KiB. */
const pieceSize = 500

export type ScheduledService = ReturnType<typeof createScheduledService>

/** The last complete answer, as stored. */
interface Cached {
  items: ScheduledMessage[]
  reading: ScheduledReading
}

/** The service's scheduled messages, read completely and cached as one answer. */
export function createScheduledService(
  parts: Pick<PlatformParts, 'clock' | 'language' | 'log'> & {
    client: Pick<ServiceClient, 'scheduled'>
    answers: AnswersRepository
    store: FileStore
  },
) {
  const { client, answers, store, clock, log } = parts

  function cached(): Cached | null {
    const found = answers.get(key)
    return found ? (JSON.parse(found.bodyJson) as Cached) : null
  }

  /** If caching fails (disk full), the live answer is still used. */
  function putCached(next: Cached, asOfMs: number): void {
    try {
      answers.put(key, JSON.stringify(next), asOfMs)
    } catch (error) {
      log.warn('Could not store the scheduled messages', { error })
    }
  }

  return {
    /** As the contract's `read`. */
    async *read(
      { freshForMs }: { freshForMs: number },
      signal: AbortSignal,
    ): AsyncGenerator<ScheduledStep, void> {
      const before = cached()
      if (before) {
        const { items, reading } = before
        for (let at = 0; at === 0 || at < items.length; at += pieceSize)
          yield {
            kind: 'kept',
            items: items.slice(at, at + pieceSize),
            reading,
            isLast: at + pieceSize >= items.length,
          }
        const ageMs = clock.now() - Date.parse(reading.asOf)
        if (ageMs >= 0 && ageMs < freshForMs) return yield { kind: 'fresh', reading }
      }
      const unseen = new Set(before?.items.map(({ id }) => id))
      try {
        const sweep = sweepScheduled(client, signal)
        let step = await sweep.next()
        for (; !step.done; step = await sweep.next()) {
          for (const { id } of step.value.items) unseen.add(id)
          yield { kind: 'page', ...step.value }
        }
        const { items, total, unreadable, state } = step.value
        const asOfMs = clock.now()
        const reading = { asOf: isoTime(asOfMs), loaded: items.length, total, unreadable, state }
        putCached({ items, reading }, asOfMs)
        for (const { id } of items) unseen.delete(id)
        yield { kind: 'done', reading, gone: [...unseen] }
      } catch (error) {
        if (signal.aborted || !isAppError(error)) throw error
        yield { kind: 'failed', error: viewOf(error) }
      }
    },
    /** Throws NOT_FOUND when none of them is cached. */
    exportCsv({ ids }: { ids: readonly string[] }): { fileId: string; name: string; count: number } {
      const byId = new Map(cached()?.items.map((item) => [item.id as string, item]))
      const found = ids.flatMap((id) => byId.get(id) ?? [])
      if (found.length === 0) throw new AppError('NOT_FOUND', { what: { key: 'what.shownList' } })
      const name = `scheduled-${utcDay(clock.now())}.csv`
      const columns = [
        'id',
        'scheduled_at',
        'status',
        'from_number',
        'to_number',
        'body',
        'created_at',
      ] as const
      const header = titlesOf(columns, parts.language())
      const rows = found.map((item) => [
        item.id,
        item.scheduledAt ?? '',
        item.status ?? '',
        item.fromNumber ?? '',
        item.toNumber ?? '',
        item.body ?? '',
        item.createdAt ?? '',
      ])
      const { fileId, path } = store.create(name)
      writeFileSync(path, writeCsv([header, ...rows]), { mode: 0o600 })
      store.finish(fileId)
      return { fileId, name, count: found.length }
    },
  }
}
