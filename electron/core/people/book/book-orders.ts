import type { BookOrder } from '../../../jobs/book/book-order.ts'
import type { BookSort } from '../../../jobs/book/book-types.ts'
import type { Book } from './book-client.ts'

/** Orders of the whole book, kept from when pages are first asked for in them: 8 MB each for a million contacts. */
export interface BookOrders {
  /** The order as it was last read; asks for a newer one where the book has changed since. Null while there is none. */
  now(by: BookSort['by']): BookOrder | null
  /** The order, once there is one. */
  wait(by: BookSort['by']): Promise<BookOrder>
}

/** While the book changes all the time, an order is read again after so many times the time that the reading took. */
const restShare = 4

export function createBookOrders(book: Pick<Book, 'order'>, version: () => number): BookOrders {
  const kept = new Map<BookSort['by'], { order: BookOrder; version: number; restUntilMs: number }>()
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
        kept.set(by, {
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
    now(by) {
      const mine = kept.get(by)
      // Asked for again at the next page, if it cannot be read now.
      if (!mine || (mine.version !== version() && performance.now() >= mine.restUntilMs))
        read(by).catch(() => {})
      return mine?.order ?? null
    },
    wait(by) {
      const mine = kept.get(by)
      return mine ? Promise.resolve(mine.order) : read(by)
    },
  }
}
