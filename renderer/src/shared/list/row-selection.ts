import { computed, shallowRef } from 'vue'

/** A list with an item added or removed. */
export const toggled = <Item>(list: readonly Item[] | undefined, item: Item): Item[] =>
  list?.includes(item) ? list.filter((other) => other !== item) : [...(list ?? []), item]

/** Selected rows of a list: some by ID, or all that match but a few, loaded or not. */
export function createRowSelection<Id = number>(total: () => number = () => 0) {
  /** Selected IDs; with `everything`, the excluded ones. */
  const ids = shallowRef<ReadonlySet<Id>>(new Set())
  const everything = shallowRef(false)
  const count = computed(() => (everything.value ? Math.max(0, total() - ids.value.size) : ids.value.size))
  const everyone = computed(() => everything.value && ids.value.size === 0)
  const has = (id: Id): boolean => ids.value.has(id) !== everything.value

  /** Selects or deselects rows. False if that makes more than `most` IDs; nothing changes then. */
  function set(changed: Iterable<Id>, on: boolean, most = Infinity): boolean {
    const next = new Set(ids.value)
    for (const id of changed) {
      if (on !== everything.value) next.add(id)
      else next.delete(id)
    }
    if (next.size > most) return false
    ids.value = next
    return true
  }

  function put(all: boolean): void {
    everything.value = all
    // Every visible row depends on the set.
    if (ids.value.size > 0) ids.value = new Set()
  }

  return { ids, everything, everyone, count, has, set, all: () => put(true), clear: () => put(false) }
}
