import type { Page } from '../../contract/domain.ts'
import { isRefusal } from '../../contract/errors.ts'

/** A whole list, as far as it was read. */
export interface WholeList<T> {
  /** Each once, in the service's order. */
  items: T[]
  unreadable: number
  /** False if there is more than was read, or if the list changed while it was read. */
  complete: boolean
  requests: number
}

/**
 * Reads a list page by page, at most about `most` records. Some services send fewer records than asked for, and count only those. So a total
 * says where the list ends only if it is more than its page holds; else an empty page does, one with nothing new, or one that is refused.
 */
export async function readWholeList<T>(
  list: (page: number) => Promise<Pick<Page<T>, 'items' | 'unreadable' | 'total' | 'atLeast'>>,
  idOf: (item: T) => string,
  most: number,
): Promise<WholeList<T>> {
  const found = new Map<string, T>()
  let unreadable = 0
  let total: number | null = null
  let hasMoved = false
  for (let page = 1; ; page++) {
    const seen = () => found.size + unreadable
    const end = (isEnd: boolean): WholeList<T> => ({
      items: [...found.values()],
      unreadable,
      complete: isEnd && !hasMoved && seen() >= (total ?? 0),
      requests: page,
    })
    const before = seen()
    const foundBefore = found.size
    const answer = await list(page).catch((error: unknown) => {
      if (before === 0 || before < (total ?? 0) || !isRefusal(error)) throw error
      return null
    })
    if (answer === null) return end(true)
    for (const item of answer.items) found.set(idOf(item), item)
    unreadable += answer.unreadable ?? 0
    if (!answer.atLeast && answer.total > answer.items.length + (answer.unreadable ?? 0)) {
      hasMoved ||= total !== null && total !== answer.total
      total = answer.total
    }
    // Without a total, unreadable records aren't news: each page of a faulty service may have one.
    const isNews = total === null ? found.size > foundBefore : seen() > before
    if (!isNews || (total !== null && seen() >= total)) return end(true)
    if (seen() >= most) return end(false)
  }
}
