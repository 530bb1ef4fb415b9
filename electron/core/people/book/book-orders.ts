import type { BookOrder } from '../../../jobs/book/book-order.ts'
import type { BookSort } from '../../../jobs/book/book-types.ts'
import type { Book } from './book-client.ts'

/** While contacts keep changing, the wait between reads is this many times the last read's duration. */
const restShare = 4

/** Sort orders of all contacts, cached from the first page that needs one. 8 MB each for a million contacts. */
export function createBookOrders(book: Pick<Book, 'order'>, version: () => number) {
  const cache = new Map<BookSort['by'], { order: BookOrder; version: number; restUntilMs: number }>()
  const reading = new Map<BookSort['by'], Promise<BookOrder>>()

  function read(by: BookSort['by']): Promise<BookOrder> {
    const running = reading.get(by)
    if (running) return running
    const versionBefore = version()
    const beganMs = performance.now()
    const promise = book
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
    now(by: BookSort['by']): BookOrder | null {
      const cached = cache.get(by)
      // If the read fails, the next page tries again.
      if (!cached || (cached.version !== version() && performance.now() >= cached.restUntilMs))
        read(by).catch(() => {})
      return cached?.order ?? null
    },
    /** The order, once it has been read. */
    wait(by: BookSort['by']): Promise<BookOrder> {
      const cached = cache.get(by)
      return cached ? Promise.resolve(cached.order) : read(by)
    },
  }
}
