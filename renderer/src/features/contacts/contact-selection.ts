import type { ContactFilter, ContactRow, ContactSelection } from '#contract/people/contacts.ts'
import { createRowSelection } from '../../shared/list/row-selection.ts'
import { t } from './contacts.texts.ts'

/** Maximum ids per call of the contract. */
export const mostIds = 10_000

/** Selected contacts: some by ID, or all matches but a few. */
export function createContactSelection(filter: () => ContactFilter, total: () => number) {
  const { ids, everything, everyone, count, has, set, all, clear } = createRowSelection(total)
  /** Index of the last selected row: Shift extends from there. */
  let last: number | null = null

  /** Toggles a row, or with `range` selects all from the last one. Returns why it can’t, else null. */
  function choose(row: (index: number) => ContactRow | undefined, index: number, range: boolean) {
    const from = range && last !== null ? last : index
    const rows = Array.from({ length: Math.abs(index - from) + 1 }, (_, at) =>
      row(Math.min(from, index) + at),
    )
    if (!rows.every((one) => one !== undefined)) return t('selection.range')
    const taken = set(
      rows.map(({ id }) => id),
      from !== index || !has(rows[0]!.id),
      mostIds,
    )
    if (taken) last = index
    return taken ? null : t('selection.limit', { n: mostIds })
  }

  /** `isExact` is false while the count is a lower bound. */
  function words(isExact: boolean): string {
    const n = count.value
    if (!everything.value) return t('selection.count', { n })
    if (everyone.value) return t(isExact ? 'selection.all' : 'selection.allLeast', { n })
    return t(isExact ? 'selection.part' : 'selection.partLeast', { n, total: total() })
  }

  return {
    everything,
    everyone,
    count,
    words,
    has,
    choose,
    /** Other rows are listed: Shift has no start. */
    forgetLast: () => void (last = null),
    all,
    clear,
    value: (): ContactSelection =>
      everything.value ? { filter: filter(), exceptIds: [...ids.value] } : { ids: [...ids.value] },
  }
}

export type ContactsChosen = ReturnType<typeof createContactSelection>
