import type { Page } from '../../contract/domain.ts'
import { isRefusal } from '../../contract/errors.ts'
import { perPageMax } from './wire/page.ts'

type ListPage<T> = Omit<Page<T>, 'page'>

/** Statuses for a page past the end. */
const noPage = new Set([400, 404, 416, 422])

/**
 * Where a list ends, for everything that reads one as a whole. Some services send fewer records than asked for, and count only those. So a
 * total counts only if it is more than its page holds. `found`: distinct records already read. `stated`: the
 * total of the first page, if any. Without `trustsTotal` only a short page can be the last, as where a service caps its total or its pages.
 */
export function createListEnd({
  found = 0,
  stated = null,
  trustsTotal,
}: {
  found?: number
  stated?: number | null
  trustsTotal: boolean
}) {
  let total: number | null = null
  let moved = false
  let unreadable = 0
  let skipped = 0
  let length = perPageMax
  let longest = 0
  const seen = () => found + unreadable
  return {
    take(page: ListPage<unknown>): void {
      skipped = page.unreadable ?? 0
      length = page.items.length + skipped
      longest = Math.max(longest, length)
      unreadable += skipped
      if (page.atLeast) return
      if (page.total > length) {
        moved ||= page.total !== (total ?? stated ?? page.total)
        total = page.total
      }
      stated ??= page.total
    },
    /** True if that was the last page: an empty one, one with nothing new, or one with which everything has arrived. */
    isReached(foundNow: number): boolean {
      // Without a total, unreadable records aren't news: each page of a faulty service may have one.
      const isNews = foundNow > found || (total !== null && skipped > 0)
      found = foundNow
      return !isNews || (total !== null && seen() >= total && (trustsTotal || length < longest))
    },
    /** Whether a refused page is one past the end. A service that refuses deep pages, and caps its total there, doesn’t say that it has none. */
    isPast: (error: unknown): boolean =>
      isRefusal(error) &&
      noPage.has(Number(error.data['status'])) &&
      seen() >= Math.max(1, total ?? stated ?? 1) &&
      (trustsTotal || length < perPageMax || (error.data['status'] === 404 && seen() === (total ?? stated))),
    /** Everything has arrived, as far as the total tells. */
    hasAll: () => seen() >= (total ?? 0),
    seen,
    total: () => total,
    stated: () => stated,
    unreadable: () => unreadable,
    moved: () => moved,
  }
}

/** A page as it was read. `total` and `seen`: records of the list, and those already read. */
export interface ReadPage<T> {
  items: T[]
  page: number
  perPage: number
  total: number
  seen: number
}

/** A whole list, as far as it was read. */
export interface WholeList<T> {
  /** Each once, in the service's order. */
  items: T[]
  unreadable: number
  total: number
  /** There is more than was read. */
  isCut: boolean
  /** False if there is more, or if the list changed while it was read. */
  complete: boolean
  requests: number
}

/** Reads a list page by page, at most about `most` records. */
export async function* readPages<T>(
  list: (page: number) => Promise<ListPage<T>>,
  idOf: (item: T) => string,
  most: number,
): AsyncGenerator<ReadPage<T>, WholeList<T>> {
  const found = new Map<string, T>()
  const end = createListEnd({ trustsTotal: true })
  for (let page = 1; ; page++) {
    const answer = await list(page).catch((error: unknown) => {
      if (!end.isPast(error)) throw error
      return null
    })
    for (const item of answer?.items ?? []) found.set(idOf(item), item)
    if (answer) end.take(answer)
    const isEnd = answer === null || end.isReached(found.size)
    const seen = end.seen()
    const total = Math.max(end.total() ?? 0, seen)
    if (answer && (page === 1 || answer.items.length + (answer.unreadable ?? 0) > 0))
      yield { items: answer.items, page, perPage: answer.perPage, total, seen }
    if (!isEnd && seen < most) continue
    const isCut = !isEnd && (end.total() === null || !end.hasAll())
    const complete = !isCut && !end.moved() && end.hasAll()
    return {
      items: [...found.values()],
      unreadable: end.unreadable(),
      total,
      isCut,
      complete,
      requests: page,
    }
  }
}

/** As `readPages`, in one piece. */
export async function readWholeList<T>(...args: Parameters<typeof readPages<T>>): Promise<WholeList<T>> {
  const pages = readPages(...args)
  let step = await pages.next()
  while (!step.done) step = await pages.next()
  return step.value
}
