import type { ScheduledMessage } from '../../../contract/domain.ts'
import { type ScheduledReading, scheduledMax } from '../../../contract/views/scheduled.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { perPageMax } from '../../service/wire/page.ts'

const pagesMax = scheduledMax / perPageMax
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
  for (let sweep = 1; sweep <= sweepsMax; sweep++) {
    const inSweep = new Set<string>()
    let firstTotal: number | null = null
    let isCut = false
    for (let page = 1; ; page++) {
      const answer = await client.scheduled.list({ page, perPage: perPageMax }, { lane: 'live', signal })
      total = answer.total
      firstTotal ??= total
      const changed: ScheduledMessage[] = []
      const known = inSweep.size
      for (const item of answer.items) {
        inSweep.add(item.id)
        if (JSON.stringify(seen.get(item.id)) !== JSON.stringify(item)) changed.push(item)
        seen.set(item.id, item)
      }
      const pagesTotal = Math.min(pagesMax, Math.max(page, Math.ceil(total / perPageMax)))
      yield { items: changed, pagesDone: page, pagesTotal, total, sweep }
      // An empty page is the end, even before the total. Beyond the total, so is a page with nothing new. A short page is the end only if
      // all entries arrived, since a service may use smaller pages.
      const isBeyond = page >= Math.ceil(total / perPageMax)
      const isShort = answer.items.length < perPageMax && inSweep.size >= total
      if (answer.items.length === 0 || (isBeyond && (isShort || inSweep.size === known))) break
      if (page === pagesMax) {
        isCut = true
        break
      }
    }
    const isStable = total === firstTotal && (isCut || inSweep.size >= total)
    if (isStable)
      return {
        items: [...inSweep].map((id) => seen.get(id)!),
        total,
        state: isCut && inSweep.size < total ? 'cut' : 'whole',
      }
  }
  return { items: [...seen.values()].slice(0, scheduledMax), total, state: 'moving' }
}
