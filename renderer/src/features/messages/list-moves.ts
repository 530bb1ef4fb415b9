import { t } from './messages.texts.ts'

/** How the list changed while its pages were loaded. Pages are numbered, so every addition or removal shifts the rest. */
export interface ListMoves {
  /** The total sent with the first page. */
  firstTotal: number
  /** The total sent with the last page. */
  total: number
  /** Messages repeated by a later page: this many were pushed down. */
  again: number
  /** The highest total sent. */
  mostTotal: number
}

/** After the first page. */
export const unmoved = (total: number): ListMoves => ({
  firstTotal: total,
  total,
  again: 0,
  mostTotal: total,
})

/** After one more page, which repeated `again` messages. */
export function movedBy(moves: ListMoves, page: { total: number; again: number }): ListMoves {
  return {
    ...moves,
    total: page.total,
    again: moves.again + page.again,
    mostTotal: Math.max(moves.mostTotal, page.total),
  }
}

/** What the loaded list may lack, or null. A repeat or a higher total means new messages, a lower one that some were missed. */
export function movesText({ firstTotal, total, again, mostTotal }: ListMoves): string | null {
  const gone = mostTotal - total
  if (gone > 0) return t('moved.gone', { n: gone })
  const added = Math.max(total - firstTotal, again)
  return added === 0 ? null : t('moved.added', { n: added })
}
