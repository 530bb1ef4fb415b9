import type { OutboxFilter, OutboxItem } from '#contract/people/outbox.ts'
import { computed } from 'vue'
import { createRowSelection } from '../../shared/list/row-selection.ts'
import { type ItemAction, type ItemSelection, actionStates, filterFor, idsFor } from './item-actions.ts'

/** The selected requests: some of the loaded ones, or all matches but a few, loaded or not. */
export function createItemSelection(options: {
  rows: () => readonly OutboxItem[]
  filter: () => OutboxFilter
  total: () => number
}) {
  const { ids, everything, everyone, count, has, set, all, clear } = createRowSelection(options.total)
  const chosen = computed(() => options.rows().filter(({ id }) => has(id)))
  /** All matches are loaded, so each selected request is known. */
  const isWhole = computed(() => options.rows().length >= options.total())

  /** The selection for an action; null if it fits none of the selected requests. */
  function selectionFor(action: ItemAction): { selection: ItemSelection; count: number | null } | null {
    if (everything.value && !isWhole.value) {
      const filter = filterFor(options.filter(), action)
      return filter === null ? null : { selection: { filter, exceptIds: [...ids.value] }, count: null }
    }
    const fitting = idsFor(chosen.value, action)
    return fitting.length > 0 ? { selection: { ids: fitting }, count: fitting.length } : null
  }

  const actions = computed(() =>
    count.value === 0
      ? []
      : (Object.keys(actionStates) as ItemAction[]).filter((action) => selectionFor(action) !== null),
  )

  return {
    everything,
    everyone,
    has,
    chosen,
    count,
    actions,
    toggle: (id: number) => void set([id], !has(id)),
    all: () => void (options.total() > 0 && all()),
    clear,
    selectionFor,
  }
}
export type ChosenItems = ReturnType<typeof createItemSelection>
