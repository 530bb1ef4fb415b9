import { type ComputedRef, computed, ref } from 'vue'

/** `next` in the order of `before`: rows that left stay in place, and new ones follow at the end. */
function inPlace<T>(before: readonly T[], next: readonly T[], keyOf: (row: T) => string): readonly T[] {
  const newer = new Map(next.map((row) => [keyOf(row), row]))
  const kept = before.map((row) => {
    const key = keyOf(row)
    const now = newer.get(key)
    newer.delete(key)
    return now ?? row
  })
  return [...kept, ...newer.values()]
}

/**
 * The rows of a list that changes while you look at it. They stay in place while the pointer rests on them, so that a click meets the row
 * it was meant for. `list` says which list it is: another one is shown at once, as is one that loads (null).
 */
export function useStillRows<T>(
  rows: () => readonly T[],
  keyOf: (row: T) => string,
  list: () => string | null,
) {
  const pointed = ref(false)
  /** `base`: as listed when the pointer came. */
  const shown: ComputedRef<Record<'rows' | 'base', readonly T[]> & { list: string | null }> = computed(
    (before) => {
      const now = { list: list(), rows: rows(), base: rows() }
      if (!pointed.value || !before || now.list === null || before.list !== now.list) return now
      return { ...now, base: before.base, rows: inPlace(before.rows, now.rows, keyOf) }
    },
  )
  const listed = computed(() => new Set(rows().map(keyOf)))
  return {
    rows: computed(() => shown.value.rows),
    /** How many rows are new and belong above others, but are shown at the end while the pointer rests on the list. */
    added: computed(() => {
      if (!pointed.value) return 0
      const known = new Set(shown.value.base.map(keyOf))
      const isNew = (row: T) => !known.has(keyOf(row))
      const now = rows()
      const last = now.findLastIndex((row) => !isNew(row))
      return now.slice(0, Math.max(0, last)).filter(isNew).length
    }),
    /** The pointer is over the rows, or left them. */
    point: (over: boolean) => void (pointed.value = over),
    /** Whether a row is only shown because the pointer rests on the list. */
    hasLeft: (row: T) => pointed.value && !listed.value.has(keyOf(row)),
  }
}
