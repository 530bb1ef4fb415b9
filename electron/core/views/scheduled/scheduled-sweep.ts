import type { ScheduledMessage } from '../../../contract/domain.ts'
import { type ScheduledReading, scheduledMax } from '../../../contract/scheduled.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'

/** Spec, Limits: the largest page. */
const perPage = 100
const pagesMax = scheduledMax / perPage
/** A list that moves while it is read is read again, so often at most. */
const sweepsMax = 3

/** A page that was read: what it brought that was not known, or not so. */
export interface SweptPage {
  items: ScheduledMessage[]
  pagesDone: number
  pagesTotal: number
  total: number
  sweep: number
}

/** What a whole reading came to. */
export interface Swept {
  items: ScheduledMessage[]
  total: number
  state: ScheduledReading['state']
}

/**
 * Reads the whole list page by page. Entries move between pages while it is read, as messages are sent and new
 * ones come: none is doubled, since they are known by id, and when the total changed, or fewer different entries
 * came than it says, the list is swept again. One that never stands still is given as everything that any sweep
 * saw, and called moving.
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
      const answer = await client.scheduled.list({ page, perPage }, { lane: 'live', signal })
      total = answer.total
      firstTotal ??= total
      const brought: ScheduledMessage[] = []
      const known = inSweep.size
      for (const item of answer.items) {
        inSweep.add(item.id)
        if (JSON.stringify(seen.get(item.id)) !== JSON.stringify(item)) brought.push(item)
        seen.set(item.id, item)
      }
      const pagesTotal = Math.min(pagesMax, Math.max(page, Math.ceil(total / perPage)))
      yield { items: brought, pagesDone: page, pagesTotal, total, sweep }
      // An empty page is the end, whatever the total says; beyond the total, so is one that brings nothing new.
      // A short one is only where all came: a service may give shorter pages than it was asked for.
      const isBeyond = page >= Math.ceil(total / perPage)
      const isShort = answer.items.length < perPage && inSweep.size >= total
      if (answer.items.length === 0 || (isBeyond && (isShort || inSweep.size === known))) break
      if (page === pagesMax) {
        isCut = true
        break
      }
    }
    const stoodStill = total === firstTotal && (isCut || inSweep.size >= total)
    if (stoodStill)
      return {
        items: [...inSweep].map((id) => seen.get(id)!),
        total,
        state: isCut && inSweep.size < total ? 'cut' : 'whole',
      }
  }
  return { items: [...seen.values()].slice(0, scheduledMax), total, state: 'moving' }
}
