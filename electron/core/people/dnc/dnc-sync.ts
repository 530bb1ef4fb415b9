import type { DncEntry, Page } from '../../../contract/domain.ts'
import { AppError, isRefusal } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { perPageMax } from '../../service/wire/page.ts'
import type { TaskContext } from '../../platform/tasks/tasks.service.ts'
import type { DncRepository, Sync } from './dnc.repository.ts'

/** Number of sweeps before giving up on a list that keeps changing. */
const sweepsMax = 4
/** Statuses for a page past the end. */
const noPage = new Set([400, 404, 416, 422])
/** Stops a service whose pages never end: 10 million entries. */
const pagesMax = 100_000

/**
 * Reads the whole list, or resumes an interrupted read. Entries can move between pages while the list changes, so the list is read again
 * when the total changed, or fewer distinct entries arrived than the total. Only a sweep without changes completes the copy; where records
 * without an id are alike, two sweeps with the same entries. Rejects with `DNC_MOVING` after the last sweep, and with the client's errors;
 * keeps what was read.
 */
export function createDncSync(parts: { repository: DncRepository; client: ServiceClient; clock: Clock }) {
  const { repository, client, clock } = parts

  /** The next page; an empty one if the service has none after a short page with the last of all entries. */
  async function page(
    { nextPage, sweep, firstTotal }: Sync,
    { signal }: TaskContext<unknown>,
    lastLength: number,
  ): Promise<Omit<Page<DncEntry>, 'page'>> {
    try {
      return await client.dnc.list({ page: nextPage, perPage: perPageMax }, { lane: 'bulk', signal })
    } catch (error) {
      // Without a total, any entry may be the last.
      const isPastEnd =
        isRefusal(error) &&
        noPage.has(Number(error.data['status'])) &&
        lastLength < perPageMax &&
        repository.seenIn(sweep) >= (firstTotal ?? 1)
      if (!isPastEnd) throw error
      return { items: [], total: firstTotal ?? 0, perPage: perPageMax, atLeast: firstTotal === null }
    }
  }

  /** `repeated`: records without an id that were the same as others. */
  async function sweep(
    start: Sync,
    context: TaskContext<unknown>,
  ): Promise<{ sync: Sync; repeated: number }> {
    let sync = start
    let repeated = 0
    /** Entries of the longest page. Some services send fewer than asked for, and count only those of a page. */
    let longest = 0
    let lastLength = perPageMax
    for (;;) {
      await context.pausePoint()
      const { items, total, perPage, atLeast = false } = await page(sync, context, lastLength)
      lastLength = items.length
      const firstTotal = sync.firstTotal ?? (atLeast ? null : total)
      longest = Math.max(longest, items.length)
      const countsPage = atLeast || (sync.nextPage > 1 && total <= items.length)
      sync = {
        ...sync,
        firstTotal,
        moved: sync.moved === 1 || (total !== firstTotal && !countsPage) ? 1 : 0,
        nextPage: sync.nextPage + 1,
      }
      const seenBefore = repository.seenIn(sync.sweep)
      const repeats = repository.takePage(sync, items, clock.now())
      const seen = repository.seenIn(sync.sweep)
      // A full page without anything new is a page sent again.
      if (seen > seenBefore || items.length < perPage) repeated += repeats
      const pagesTotal = Math.max(sync.nextPage - 1, Math.ceil(total / perPage))
      context.report({ done: sync.nextPage - 1, total: pagesTotal })
      // An empty page ends the list, even before the total. Past the total, so does a page with nothing new, or a shorter one when all arrived.
      const isBeyond = atLeast || sync.nextPage > Math.ceil(total / perPage)
      const isShort = !atLeast && items.length < longest && seen >= total
      if (items.length === 0 || (isBeyond && (isShort || seen === seenBefore))) return { sync, repeated }
      if (sync.nextPage > pagesMax) throw new AppError('DNC_MOVING')
    }
  }

  return async function run(context: TaskContext<unknown>): Promise<Sync> {
    let sync = repository.unfinished() ?? repository.begin(clock.now())
    sync = { ...sync, taskId: context.id }
    repository.save(sync)
    for (let sweeps = 1; ; sweeps++) {
      const swept = await sweep(sync, context)
      sync = swept.sync
      const missing = (sync.firstTotal ?? 0) - repository.seenIn(sync.sweep)
      const hasAll = missing <= 0 || (missing <= swept.repeated && repository.sawSame(sync.sweep))
      if (sync.moved === 0 && hasAll) return repository.finish(sync, clock.now())
      if (sweeps === sweepsMax) throw new AppError('DNC_MOVING')
      sync = { ...sync, sweep: sync.sweep + 1, nextPage: 1, firstTotal: null, moved: 0 }
      repository.save(sync)
    }
  }
}
