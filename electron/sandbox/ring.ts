/** The newest items of a stream, up to a size. */
export interface Ring<T> {
  push(item: T): void
  /** Oldest first. */
  items(): T[]
}

/** Keeps the newest `size` items. */
export function createRing<T>(size: number): Ring<T> {
  const slots: T[] = []
  let total = 0
  return {
    push(item) {
      if (slots.length < size) slots.push(item)
      else slots[total % size] = item
      total++
    },
    items() {
      if (slots.length < size) return slots.slice()
      const head = total % size
      return [...slots.slice(head), ...slots.slice(0, head)]
    },
  }
}
