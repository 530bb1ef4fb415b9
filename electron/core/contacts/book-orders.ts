import type { BookOrder } from '../../jobs/book/book-order.ts'
import type { BookSort } from '../../jobs/book/book-types.ts'
import type { Book } from './book-client.ts'

/** Orders of the whole book, kept for as long as pages are asked for in them. */
export interface BookOrders {
  /** The order as it was last read; asks for a newer one where the book has changed since. Null while there is none. */
  now(by: BookSort['by']): BookOrder | null
  /** The order, once there is one. */
  wait(by: BookSort['by']): Promise<BookOrder>
}

/** While the book changes all the time, an order is read again after so many times the time that the reading took. */
const restShare = 4

/** Only the order that was asked for last is kept: each takes 8 MB for a million contacts. */
export function createBookOrders(book: Pick<Book, 'order'>, version: () => number): BookOrders {
  let kept: { by: BookSort['by']; order: BookOrder; version: number } | null = null
  let restUntilMs = 0
  let reading: { by: BookSort['by']; promise: Promise<BookOrder> } | null = null

  function read(by: BookSort['by']): Promise<BookOrder> {
    if (reading?.by === by) return reading.promise
    const versionBefore = version()
    const beganMs = performance.now()
    const promise = book.order(by).then((order) => {
      kept = { by, order, version: versionBefore }
      const endedMs = performance.now()
      restUntilMs = endedMs + (endedMs - beganMs) * restShare
      return order
    })
    const mine = { by, promise }
    reading = mine
    const done = () => {
      if (reading === mine) reading = null
    }
    promise.then(done, done)
    return promise
  }

  return {
    now(by) {
      const mine = kept?.by === by ? kept : null
      // Asked for again at the next page, if it cannot be read now.
      if (!mine || (mine.version !== version() && performance.now() >= restUntilMs)) read(by).catch(() => {})
      return mine?.order ?? null
    },
    wait: (by) => (kept?.by === by ? Promise.resolve(kept.order) : read(by)),
  }
}
