import type { Page, ScheduledMessage } from '../../../contract/domain.ts'
import { isRefusal } from '../../../contract/errors.ts'
import { type ScheduledReading, scheduledMax } from '../../../contract/views/scheduled.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { perPageMax } from '../../service/wire/page.ts'

/** Number of sweeps before giving up on a list that keeps changing. */
const sweepsMax = 3

/** A page, reduced to new and changed items. */
export interface SweptPage {
  items: ScheduledMessage[]
  pagesDone: number
  pagesTotal: number
  total: number
  sweep: number
}

/** The result of a whole read. */
export interface Swept {
  items: ScheduledMessage[]
  total: number
  /** Records that can't be read, if any. */
  unreadable: number | undefined
  state: ScheduledReading['state']
}

/**
 * Reads the whole list page by page. Entries move between pages as messages are sent and created. So entries are
 * identified by id, and the list is swept again when the total changed or fewer distinct entries arrived than it
 * says. A list that keeps changing is returned as everything seen in any sweep, with the state `moving`.
 */
export async function* sweepScheduled(
  client: Pick<ServiceClient, 'scheduled'>,
  signal: AbortSignal,
): AsyncGenerator<SweptPage, Swept> {
  const seen = new Map<string, ScheduledMessage>()
  let total = 0
  let unreadable = 0
  for (let sweep = 1; sweep <= sweepsMax; sweep++) {
    const inSweep = new Set<string>()
    let firstTotal: number | null = null
    let isCut = false
    total = 0
    let received = 0
    unreadable = 0
    for (let page = 1; ; page++) {
      const has = inSweep.size + unreadable
      const answer: Omit<Page<ScheduledMessage>, 'page'> = await client.scheduled
        .list({ page, perPage: perPageMax }, { lane: 'live', signal })
        .catch((error: unknown) => {
          if (has === 0 || has < total || !isRefusal(error)) throw error
          return { items: [], total: has, perPage: perPageMax }
        })
      const { items, perPage, unreadable: skipped = 0 } = answer
      const ofPage = items.length + skipped
      received += ofPage
      unreadable += skipped
      // Some services count only the records of a page.
      if (!answer.atLeast && answer.total > ofPage) {
        total = answer.total
        firstTotal ??= total
      }
      const changed: ScheduledMessage[] = []
      const known = inSweep.size
      for (const item of items) {
        inSweep.add(item.id)
        if (JSON.stringify(seen.get(item.id)) !== JSON.stringify(item)) changed.push(item)
        seen.set(item.id, item)
      }
      const pagesTotal = Math.max(page, Math.ceil(Math.min(total, scheduledMax) / perPage))
      if (ofPage > 0 || page === 1)
        yield {
          items: changed,
          pagesDone: page,
          pagesTotal,
          total: Math.max(total, inSweep.size + unreadable),
          sweep,
        }
      // An empty page is the end, even before the total. Beyond the total, so is a page with nothing new, or one that completes a total
      // which counts more than a page.
      const isBeyond = page >= Math.ceil(total / perPage)
      const isOld = inSweep.size === known && skipped === 0
      const hasAll = firstTotal !== null && inSweep.size + unreadable >= total
      if (ofPage === 0 || (isBeyond && (hasAll || isOld))) break
      if (received >= scheduledMax) {
        isCut = true
        break
      }
    }
    const isStable = total === (firstTotal ?? 0) && (isCut || inSweep.size + unreadable >= total)
    if (isStable)
      return {
        items: [...inSweep].map((id) => seen.get(id)!),
        total: Math.max(total, inSweep.size + unreadable),
        unreadable: unreadable || undefined,
        state: isCut && (firstTotal === null || inSweep.size + unreadable < total) ? 'cut' : 'whole',
      }
  }
  return {
    items: [...seen.values()].slice(0, scheduledMax),
    total,
    unreadable: unreadable || undefined,
    state: 'moving',
  }
}
