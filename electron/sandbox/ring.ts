export type Ring<T> = ReturnType<typeof createRing<T>>

/** Keeps the newest `size` items. */
export function createRing<T>(size: number) {
  const slots: T[] = []
  let total = 0
  return {
    push(item: T): void {
      if (slots.length < size) slots.push(item)
      else slots[total % size] = item
      total++
    },
    /** Oldest first. */
    items(): T[] {
      if (slots.length < size) return slots.slice()
      const head = total % size
      return [...slots.slice(head), ...slots.slice(0, head)]
    },
  }
}
