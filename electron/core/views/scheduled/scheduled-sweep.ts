import type { ScheduledMessage } from '../../../contract/domain.ts'
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
    let received = 0
    unreadable = 0
    for (let page = 1; ; page++) {
      const answer = await client.scheduled.list({ page, perPage: perPageMax }, { lane: 'live', signal })
      const { perPage, unreadable: skipped = 0 } = answer
      total = answer.total
      const receivedBefore = received
      received += answer.items.length + skipped
      unreadable += skipped
      firstTotal ??= total
      const changed: ScheduledMessage[] = []
      const known = inSweep.size
      for (const item of answer.items) {
        inSweep.add(item.id)
        if (JSON.stringify(seen.get(item.id)) !== JSON.stringify(item)) changed.push(item)
        seen.set(item.id, item)
      }
      const pagesTotal = Math.max(page, Math.ceil(Math.min(total, scheduledMax) / perPage))
      yield { items: changed, pagesDone: page, pagesTotal, total, sweep }
      // An empty page is the end, even before the total. Beyond the total, so is a page with nothing new. A short page is the end only if
      // all entries arrived, since a service may use smaller pages.
      const isBeyond = page >= Math.ceil(total / perPage)
      const isShort = received - receivedBefore < perPage && inSweep.size + unreadable >= total
      const isOld = inSweep.size === known && skipped === 0
      if (received === receivedBefore || (isBeyond && (isShort || isOld))) break
      if (received >= scheduledMax) {
        isCut = true
        break
      }
    }
    const isStable = total === firstTotal && (isCut || inSweep.size + unreadable >= total)
    if (isStable)
      return {
        items: [...inSweep].map((id) => seen.get(id)!),
        total,
        unreadable: unreadable || undefined,
        state: isCut && inSweep.size + unreadable < total ? 'cut' : 'whole',
      }
  }
  return {
    items: [...seen.values()].slice(0, scheduledMax),
    total,
    unreadable: unreadable || undefined,
    state: 'moving',
  }
}
