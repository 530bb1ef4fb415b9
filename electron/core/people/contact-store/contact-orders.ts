import type { ContactSort } from '../../../contract/people/contacts.ts'
import type { ContactOrder } from '../../../jobs/contact-store/contact-order.ts'
import type { ContactStore } from './contact-store-client.ts'

/** While contacts keep changing, the wait between reads is this many times the last read's duration. */
const restShare = 4

/** Sort orders of all contacts, cached from the first page that needs one. 8 MB each for a million contacts. */
export function createContactOrders(reads: Pick<ContactStore['reads'], 'order'>, version: () => number) {
  const cache = new Map<ContactSort['by'], { order: ContactOrder; version: number; restUntilMs: number }>()
  const reading = new Map<ContactSort['by'], Promise<ContactOrder>>()

  function read(by: ContactSort['by']): Promise<ContactOrder> {
    const running = reading.get(by)
    if (running) return running
    const versionBefore = version()
    const beganMs = performance.now()
    const promise = reads
      .order(by)
      .then((order) => {
        const endedMs = performance.now()
        cache.set(by, {
          order,
          version: versionBefore,
          restUntilMs: endedMs + (endedMs - beganMs) * restShare,
        })
        return order
      })
      .finally(() => reading.delete(by))
    reading.set(by, promise)
    return promise
  }

  return {
    /** The cached order, or null before the first read. Starts a new read if contacts have changed. */
    now(by: ContactSort['by']): ContactOrder | null {
      const cached = cache.get(by)
      // If the read fails, the next page tries again.
      if (!cached || (cached.version !== version() && performance.now() >= cached.restUntilMs))
        read(by).catch(() => {})
      return cached?.order ?? null
    },
    /** The order, once it has been read. */
    wait(by: ContactSort['by']): Promise<ContactOrder> {
      const cached = cache.get(by)
      return cached ? Promise.resolve(cached.order) : read(by)
    },
  }
}
