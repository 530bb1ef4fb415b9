import { formatCounted } from '../../shared/format/numbers.ts'

/** How the service's list moved while it was read page by page: pages are numbered, so what comes or goes shifts all behind it. */
export interface ListMoves {
  /** What the service gave as total with the first page. */
  firstTotal: number
  /** What it gave with the page read last. */
  total: number
  /** Messages that a later page brought again: so many were pushed down from the page before. */
  again: number
  /** The highest total that came, for messages that came and went. */
  mostTotal: number
}

/** A list of which only the first page was read. */
export const unmoved = (total: number): ListMoves => ({
  firstTotal: total,
  total,
  again: 0,
  mostTotal: total,
})

/** The moves with one more page, which brought `again` messages that were loaded before. */
export function movedBy(moves: ListMoves, page: { total: number; again: number }): ListMoves {
  return {
    ...moves,
    total: page.total,
    again: moves.again + page.again,
    mostTotal: Math.max(moves.mostTotal, page.total),
  }
}

/**
 * What the list may lack because it moved, as a sentence; null when nothing says that it did. More messages than before, or some
 * that came again, are new ones before those that are loaded; fewer mean that some moved up past the page that was asked for.
 */
export function movesText({ firstTotal, total, again, mostTotal }: ListMoves): string | null {
  const gone = mostTotal - total
  if (gone > 0) return `${formatCounted(gone, 'message')} left the list while loading; some may be missing.`
  const arrived = Math.max(total - firstTotal, again)
  if (arrived === 0) return null
  return `${formatCounted(arrived, 'new message')} ${arrived === 1 ? 'isn’t' : 'aren’t'} shown in order.`
}
