import type { ScheduledMessage } from '../../../contract/domain.ts'
import { type ScheduledReading, type ScheduledStep, scheduledMax } from '../../../contract/views/scheduled.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { readPages } from '../../service/read-whole-list.ts'
import { perPageMax } from '../../service/wire/page.ts'

/** Number of sweeps before giving up on a list that keeps changing. */
const sweepsMax = 3

/** A page, reduced to new and changed items. */
export type SweptPage = Omit<Extract<ScheduledStep, { kind: 'page' }>, 'kind'>

/** The result of a whole read. */
export interface Swept {
  items: ScheduledMessage[]
  total: number
  /** Records that can't be read, if any. */
  unreadable: number | undefined
  state: ScheduledReading['state']
}

/**
 * Reads the whole list page by page. Entries move between pages as messages are sent and created, so the list is swept again when it
 * changed while it was read. A list that keeps changing is returned as everything seen in any sweep, with the state `moving`.
 */
export async function* sweepScheduled(
  client: Pick<ServiceClient, 'scheduled'>,
  signal: AbortSignal,
): AsyncGenerator<SweptPage, Swept> {
  const known = new Map<string, ScheduledMessage>()
  for (let sweep = 1; ; sweep++) {
    const pages = readPages(
      (page) => client.scheduled.list({ page, perPage: perPageMax }, { lane: 'live', signal }),
      ({ id }) => id,
      scheduledMax,
    )
    let step = await pages.next()
    for (; !step.done; step = await pages.next()) {
      const { items, page, perPage, total } = step.value
      const changed = items.filter((item) => JSON.stringify(known.get(item.id)) !== JSON.stringify(item))
      for (const item of items) known.set(item.id, item)
      const pagesTotal = Math.max(page, Math.ceil(Math.min(total, scheduledMax) / perPage))
      yield { items: changed, pagesDone: page, pagesTotal, total, sweep }
    }
    const { items, total, isCut, complete } = step.value
    const unreadable = step.value.unreadable || undefined
    if (complete || isCut) return { items, total, unreadable, state: isCut ? 'cut' : 'whole' }
    if (sweep === sweepsMax)
      return { items: [...known.values()].slice(0, scheduledMax), total, unreadable, state: 'moving' }
  }
}
