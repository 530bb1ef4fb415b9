import type { OutboxFilter, OutboxItem } from '#contract/people/outbox.ts'
import { type ShallowRef, computed, shallowRef } from 'vue'
import { type ItemAction, type ItemSelection, actionStates, filterFor, idsFor } from './item-actions.ts'

/** The selected requests: some of the loaded ones, or all matches, loaded or not. */
export function createItemSelection(options: {
  rows: () => readonly OutboxItem[]
  filter: () => OutboxFilter
  total: () => number
}) {
  const ids: ShallowRef<ReadonlySet<number>> = shallowRef(new Set())
  const everything = shallowRef(false)

  const has = (id: number): boolean => everything.value || ids.value.has(id)
  const chosen = computed(() => options.rows().filter(({ id }) => has(id)))
  /** All matches are loaded, so each selected request is known. */
  const isWhole = computed(() => options.rows().length >= options.total())
  const count = computed(() => (everything.value ? options.total() : ids.value.size))

  function toggle(id: number): void {
    const next = new Set(everything.value ? options.rows().map((row) => row.id) : ids.value)
    if (!next.delete(id)) next.add(id)
    everything.value = false
    ids.value = next
  }

  function clear(): void {
    everything.value = false
    ids.value = new Set()
  }

  function all(): void {
    everything.value = options.total() > 0
    ids.value = new Set()
  }

  /** The selection for an action; null if it fits none of the selected requests. */
  function selectionFor(action: ItemAction): { selection: ItemSelection; count: number | null } | null {
    if (everything.value && !isWhole.value) {
      const filter = filterFor(options.filter(), action)
      return filter === null ? null : { selection: { filter }, count: null }
    }
    const fitting = idsFor(chosen.value, action)
    return fitting.length > 0 ? { selection: { ids: fitting }, count: fitting.length } : null
  }

  const actions = computed(() =>
    count.value === 0
      ? []
      : (Object.keys(actionStates) as ItemAction[]).filter((action) => selectionFor(action) !== null),
  )

  return { ids, everything, has, chosen, count, actions, toggle, all, clear, selectionFor }
}
export type ChosenItems = ReturnType<typeof createItemSelection>
