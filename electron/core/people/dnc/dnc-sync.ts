import { AppError } from '../../../contract/errors.ts'
import { createListEnd } from '../../service/read-whole-list.ts'
import { perPageMax } from '../../service/wire/page.ts'
import type { TaskContext } from '../../platform/tasks/tasks.service.ts'
import type { ServiceParts } from '../../service/parts.ts'
import type { DncRepository, Sync } from './dnc.repository.ts'

/** Number of sweeps before giving up on a list that keeps changing. */
const sweepsMax = 4
/** Stops a service whose pages never end: 10 million entries. */
const pagesMax = 100_000

/**
 * Reads the whole list, or resumes an interrupted read. Entries can move between pages while the list changes, so the list is read again
 * when the total changed, fewer distinct entries arrived than the total, or known ones are missing. Only a sweep without changes completes
 * the copy; where records without an id are alike, or the total is one more, two sweeps with the same entries; without a total at first,
 * a second one that saw all of the first. Rejects with `DNC_MOVING` after the last sweep, and
 * with the client's errors; keeps what was read.
 */
export function createDncSync(
  parts: Pick<ServiceParts, 'client' | 'credentials' | 'clock'> & { repository: DncRepository },
) {
  const { repository, client, clock } = parts

  /** `repeated`: records without an id that were the same as others. */
  async function sweep(
    start: Sync,
    context: TaskContext<unknown>,
  ): Promise<{ sync: Sync; repeated: number }> {
    const { signal } = context
    let sync = start
    let repeated = 0
    const found = repository.seenIn(sync.sweep)
    const end = createListEnd({ found, stated: sync.firstTotal, trustsTotal: false })
    for (;;) {
      await context.pausePoint()
      const page = await client.dnc
        .list({ page: sync.nextPage, perPage: perPageMax }, { lane: 'bulk', signal })
        .catch((error: unknown) => {
          if (!end.isPast(error)) throw error
          return null
        })
      if (!page) return { sync, repeated }
      const { items, total, perPage } = page
      const seenBefore = repository.seenIn(sync.sweep)
      end.take(page)
      const moved = end.moved() ? 1 : sync.moved
      sync = { ...sync, firstTotal: end.stated(), moved, nextPage: sync.nextPage + 1 }
      const repeats = repository.takePage(sync, items, clock.now())
      const seen = repository.seenIn(sync.sweep)
      // A full page without anything new is a page sent again.
      if (seen > seenBefore || items.length < perPage) repeated += repeats
      const done = sync.nextPage - 1
      context.report({ done, total: Math.max(done, Math.ceil(total / perPage)) })
      if (end.isReached(seen)) return { sync, repeated }
      if (sync.nextPage > pagesMax) throw new AppError('DNC_MOVING')
    }
  }

  return async function run(context: TaskContext<unknown>): Promise<Sync> {
    const identity = parts.credentials.identity()
    const unfinished = repository.unfinished()
    let sync = unfinished?.identity === identity ? unfinished : repository.begin(clock.now(), identity)
    sync = { ...sync, taskId: context.id }
    repository.save(sync)
    for (let sweeps = 1; ; sweeps++) {
      const swept = await sweep(sync, context)
      sync = swept.sync
      const missing = (sync.firstTotal ?? 0) - repository.seenIn(sync.sweep)
      // Records without an id that are alike are stored once, and some services count one too many.
      const hasAll =
        missing <= 0 || (missing <= Math.max(1, swept.repeated) && repository.sawSame(sync.sweep))
      // While one entry goes and another comes, a third can move to a page already read: the total stays, and it seems to be gone, too.
      // Without a total and an earlier copy, nothing shows that.
      const isBlind = missing < 0 && repository.lastComplete() === null
      const isStill = isBlind
        ? sweeps > 1 && repository.sawAllOf(sync.sweep - 1)
        : sweeps > 1 || repository.misses(sync) === 0
      const isSure = sync.nextPage <= 2 || isStill
      // Pages read with two API keys may be two lists.
      if (parts.credentials.identity() !== identity) return run(context)
      if (sync.moved === 0 && hasAll && isSure) return repository.finish(sync, clock.now())
      if (sweeps === sweepsMax) throw new AppError('DNC_MOVING')
      sync = { ...sync, sweep: sync.sweep + 1, nextPage: 1, firstTotal: null, moved: 0 }
      repository.save(sync)
    }
  }
}
