import type { ContactFilter, ContactSelection } from '#contract/contacts.ts'
import { computed, shallowRef } from 'vue'
import { formatCount } from '../../shared/format/numbers.ts'

/** Ids that the contract takes at once. */
export const mostIds = 10_000

/** Contacts chosen by hand, or all that match but a few. */
export function createContactSelection(filter: () => ContactFilter, total: () => number) {
  /** Chosen by hand, or left out of all. */
  const ids = shallowRef<ReadonlySet<number>>(new Set())
  const everything = shallowRef(false)
  const count = computed(() => (everything.value ? Math.max(0, total() - ids.value.size) : ids.value.size))
  /** All that match, with none left out: however many they are. */
  const everyone = computed(() => everything.value && ids.value.size === 0)
  const has = (id: number) => ids.value.has(id) !== everything.value

  /** False when they are more than can be chosen one by one; nothing has changed then. */
  function set(chosen: Iterable<number>, on: boolean): boolean {
    const next = new Set(ids.value)
    for (const id of chosen) {
      if (on !== everything.value) next.add(id)
      else next.delete(id)
    }
    if (next.size > mostIds) return false
    ids.value = next
    return true
  }

  /** `12 chosen`, `All 286 matching chosen`, `284 of 286 matching chosen`. `isExact` is false while more may match than are counted. */
  function words(isExact: boolean): string {
    const more = isExact ? '' : ' or more'
    if (!everything.value) return `${formatCount(count.value)} chosen`
    if (everyone.value) return `All ${formatCount(count.value)}${more} matching chosen`
    return `${formatCount(count.value)} of ${formatCount(total())}${more} matching chosen`
  }

  return {
    everything,
    everyone,
    count,
    words,
    has,
    toggle: (id: number): boolean => set([id], !has(id)),
    set,
    all() {
      everything.value = true
      ids.value = new Set()
    },
    clear() {
      everything.value = false
      ids.value = new Set()
    },
    value: (): ContactSelection =>
      everything.value ? { filter: filter(), exceptIds: [...ids.value] } : { ids: [...ids.value] },
  }
}

export type ContactsChosen = ReturnType<typeof createContactSelection>
